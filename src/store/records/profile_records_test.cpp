#include "store/records/profile_records.h"

#include <gtest/gtest.h>

#include "store/database/temporary_store_test.h"
#include "store/records/circumstances.h"
#include "store/records/measurement_record.h"

namespace hone {
namespace {

class ProfileRecordsTest : public TemporaryStoreTest {
 protected:
  static Model model_of(const char* op) {
    Model model;
    const ValueId input = model.graph.add_input("x", Type::tensor(ElementType::float32, {4}));
    model.graph.add_output(model.graph.add(OpName::intern("", op), std::vector{input}, {}, "node"));
    return model;
  }
  static ModelProfile profile_of(const char* config, double node_seconds, double whole_seconds) {
    ModelProfile profile{.context = {.hardware = "here", .runtime = "onnxruntime 1.30.0", .threads = 2},
                         .measured_seconds = whole_seconds,
                         .rounds = 15};
    profile.graph.nodes.push_back({.name = "node", .op = "Relu", .config = config});
    profile.table.add(
        {.context = profile.context, .config = config, .seconds = node_seconds, .p10 = 1, .p90 = 3, .samples = 15});
    return profile;
  }
};

TEST_F(ProfileRecordsTest, TimingsComeBackUnderTheirOwnConditionsOnly) {
  Store store(url_);
  const ModelProfile profile = profile_of("Relu[4]", 2, 2.5);
  record_profile(store, "a", model_of("Relu"), profile, {});
  EXPECT_EQ(stored_profiles(store, profile.context).records(), profile.table.records());
  for (const ProfileContext& other :
       {ProfileContext{"here", "onnxruntime 1.31.0", 2}, ProfileContext{"here", "onnxruntime 1.30.0", 1}})
    EXPECT_TRUE(stored_profiles(store, other).records().empty());
}

TEST_F(ProfileRecordsTest, TimingsOfSingleNodesNeedNoProfileOfTheWhole) {
  Store store(url_);
  const ModelProfile profile = profile_of("Relu[4]", 2, 2.5);
  record_timings(store, graph_record("a", model_of("Relu")), profile.table);
  EXPECT_EQ(stored_profiles(store, profile.context).records(), profile.table.records());
  EXPECT_TRUE(stored_graphs(store, profile.context, model_of("Abs")).empty());
}

TEST_F(ProfileRecordsTest, WhatIsKnownIsNotRecordedAgainAndTheNewestTimingCounts) {
  Store store(url_);
  const ModelProfile first = profile_of("Relu[4]", 2, 2.5), second = profile_of("Relu[4]", 3, 2.5);
  record_profile(store, "a", model_of("Relu"), first, {});
  record_profile(store, "a", model_of("Relu"), second, first.table);
  EXPECT_EQ(store.count(find_table("profiles")), 1);
  record_profile(store, "a", model_of("Relu"), second, {});
  EXPECT_EQ(stored_profiles(store, first.context).find(first.context, "Relu[4]")->seconds, 3);
}

TEST_F(ProfileRecordsTest, OtherModelsTeachTheCorrection) {
  Store store(url_);
  const ModelProfile profile = profile_of("Relu[4]", 2, 2.5);
  record_profile(store, "a", model_of("Relu"), profile, {});
  record_profile(store, "b", model_of("Abs"), profile, profile.table);
  EXPECT_EQ(stored_graphs(store, profile.context, model_of("Neg")).size(), 2U);
  const std::vector<MeasuredGraph> others = stored_graphs(store, profile.context, model_of("Abs"));
  ASSERT_EQ(others.size(), 1U);
  EXPECT_EQ(others[0].seconds, 2.5);
  EXPECT_EQ(others[0].features.sum_seconds, 2);
}

TEST_F(ProfileRecordsTest, MeasurementsAreRecordedWithoutThoseThatFailed) {
  Store store(url_);
  const std::vector<Candidate> candidates{{.name = "a", .model = model_of("Relu"), .file = {}},
                                          {.name = "b", .model = model_of("Abs"), .file = {}}};
  Measurement measurement{.runtime = "onnxruntime 1.30.0", .threads = 1};
  measurement.models = {{.name = "a", .failure = "", .latency = {.median = 0.5}, .seconds = {0.5}},
                        {.name = "b", .failure = "killed by signal 11"}};
  EXPECT_EQ(record_measurement(store, candidates, measurement), 1U);
  const auto records = store.select<MeasurementRecord>("");
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].median_seconds, 0.5);
  EXPECT_EQ(records[0].graph, graph_record("a", candidates[0].model).id);
}

TEST(ProfileRecords, TimingsAndRecordsNameThisMachineAlike) { EXPECT_EQ(hardware_fingerprint(), this_hardware().id); }

}  // namespace
}  // namespace hone

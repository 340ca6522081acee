#include "run/profile/operator_timing.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/child_process.h"
#include "base/error.h"

namespace hone {
namespace {

NodeTiming record(std::size_t threads, double seconds) {
  return {.context = {.hardware = "a processor", .runtime = "onnxruntime 1.30.0", .threads = threads},
          .config = "Relu@14(float[4])->(float[4])",
          .seconds = seconds,
          .p10 = seconds / 2,
          .p90 = seconds * 2,
          .samples = 9};
}

TEST(NodeTimingTest, FilesReadBackEqual) {
  const TemporaryFolder folder;
  ProfileTable table;
  table.add(record(1, 1e-6));
  table.add(record(2, 3e-6));
  write_profiles(table, folder.path() / "profiles.jsonl");
  EXPECT_EQ(read_profiles(folder.path() / "profiles.jsonl").records(), table.records());
}

TEST(NodeTimingTest, RecordsHoldUnderTheirOwnConditionsOnly) {
  ProfileTable table;
  table.add(record(1, 1e-6));
  table.add(record(1, 2e-6));
  EXPECT_EQ(table.find(record(1, 0).context, record(1, 0).config)->seconds, 2e-6);
  EXPECT_FALSE(table.find(record(2, 0).context, record(1, 0).config));
}

TEST(NodeTimingTest, RefusesWhatIsNoRecord) {
  EXPECT_THROW(node_timing(nlohmann::json::array(), "file:1"), InputError);
  nlohmann::json object = json_of(record(1, 1e-6));
  EXPECT_EQ(node_timing(object, "file:1"), record(1, 1e-6));
  object["seconds"] = -1;
  EXPECT_THROW(node_timing(object, "file:1"), InputError);
  object["seconds"] = "soon";
  EXPECT_THROW(node_timing(object, "file:1"), InputError);
  object["version"] = 99;
  EXPECT_THROW(node_timing(object, "file:1"), InputError);
}

}  // namespace
}  // namespace hone

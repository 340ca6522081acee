#include "store/database/store.h"

#include "store/database/lookup.h"
#include "store/database/prune.h"
#include "store/database/temporary_store_test.h"

namespace hone {
namespace {

using StoreTest = TemporaryStoreTest;

TEST_F(StoreTest, RecordsComeBackAsTheyWere) {
  Store store(url_);
  const RunRecord run{.kind = "plan",
                      .state = Progress::done,
                      .value = 0.1 + 0.2,
                      .request = {{"seed", 7}, {"text", "a\"\\\n\u00e9"}},
                      .outcome = {{"list", {1, 2.5, nullptr, true}}},
                      .created_seconds = 1e9 / 3};
  const std::string id = add_run(store, run);
  Store again(url_, StoreAccess::read);
  const std::vector<RunRecord> found = again.select<RunRecord>("WHERE id = $1", {id});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].graph, "graph1");
  EXPECT_EQ(found[0].value, run.value);
  EXPECT_EQ(found[0].created_seconds, run.created_seconds);
  EXPECT_EQ(found[0].request, run.request);
  EXPECT_EQ(found[0].outcome, run.outcome);
  EXPECT_EQ(found[0].state, Progress::done);
  EXPECT_EQ(again.select<HardwareRecord>("").at(0).description, Json({{"model", "p100"}}));
}

TEST_F(StoreTest, TextOfAnyBytesCanBeStored) {
  Store store(url_);
  const std::string id = add_run(store, {.kind = std::string("a\0b\xFF", 4), .request = {{"name", "\xFE\xFF"}}});
  EXPECT_EQ(store.select<RunRecord>("WHERE id = $1", {id}).at(0).kind, "a b\xEF\xBF\xBD");
}

TEST_F(StoreTest, ATransactionThatThrowsLeavesNothing) {
  Store store(url_);
  const std::string run = add_run(store);
  EXPECT_THROW(store.write([&](Writer& writer) {
    writer.add(PlanRecord{.run = run});
    fail("enough");
  }),
               InputError);
  EXPECT_EQ(store.count(find_table("plans")), 0);
  store.write([&](Writer& writer) { writer.add(PlanRecord{.run = run}); });
  EXPECT_EQ(store.count(find_table("plans")), 1);
}

TEST_F(StoreTest, ARecordThatRefersToNothingIsRefused) {
  Store store(url_);
  const std::string said =
      database_complaint([&] { store.write([](Writer& writer) { writer.add(PlanRecord{.run = "missing"}); }); });
  EXPECT_NE(said.find("refuses a record that refers to one it does not have"), std::string::npos) << said;
}

TEST_F(StoreTest, AddingTwiceIsHarmlessAndFinalStatesStay) {
  Store store(url_);
  const std::string id = add_run(store, {.state = Progress::running});
  add_run(store, {.id = id, .state = Progress::done, .value = 2.0});
  EXPECT_EQ(store.select<RunRecord>("").at(0).value, 2.0);
  add_run(store, {.id = id, .state = Progress::failed});
  add_run(store, {.id = id, .state = Progress::running});
  EXPECT_EQ(store.select<RunRecord>("").at(0).state, Progress::done);
  EXPECT_EQ(store.count(find_table("runs")), 1);
}

TEST_F(StoreTest, LookupNeverCrossesMachineOrRuntimeSilently) {
  Store store(url_);
  add_run(store);
  store.write([](Writer& writer) {
    writer.add(HardwareRecord{{.id = "hardware2"}});
    writer.add(SoftwareRecord{{.id = "software2"}});
    double seconds = 1;
    for (const char* hardware : {"hardware1", "hardware2"})
      for (const char* software : {"software1", "software2"})
        writer.add(ProfileRecord{
            .operation = "Conv", .hardware = hardware, .software = software, .median_seconds = seconds++});
  });
  const Setting wanted{.subject = "Conv", .hardware = "hardware2", .software = "software1"};
  const auto exact = look_up<ProfileRecord>(store, wanted, Reach::exact);
  ASSERT_EQ(exact.size(), 1U);
  EXPECT_EQ(exact[0].record.median_seconds, 3);
  EXPECT_EQ(exact[0].nearness, Nearness::exact);
  const auto all = look_up<ProfileRecord>(store, wanted, Reach::anywhere);
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[1].nearness, Nearness::other_software);
  EXPECT_EQ(all[1].record.median_seconds, 4);
  EXPECT_EQ(all[2].nearness, Nearness::other_hardware);
  EXPECT_EQ(all[3].nearness, Nearness::other_both);
  EXPECT_EQ(describe(all[1].nearness), "another runtime version");
  EXPECT_TRUE(look_up<ProfileRecord>(store, {"Conv", "hardware3", "software1"}, Reach::exact).empty());
}

TEST_F(StoreTest, PruningKeepsTheBestAndWhatIsBusy) {
  Store store(url_);
  for (const double value : {3.0, 1.0, 2.0}) add_run(store, {.kind = "plan", .state = Progress::done, .value = value});
  add_run(store, {.kind = "plan", .state = Progress::done});
  const std::string busy = add_run(store, {.kind = "tune", .created_seconds = 1});
  const std::string old = add_run(store, {.kind = "tune", .created_seconds = 1});
  store.write([&](Writer& writer) {
    writer.add(TrialRecord{.run = busy, .state = Progress::running, .claim_ends = 1e12});
    writer.add(TrialRecord{.run = old, .state = Progress::running, .claim_ends = 2});
  });
  EXPECT_EQ(prune(store, {.older_than_days = 1, .keep_best = 1}, PruneMode::count).runs, 4);
  EXPECT_EQ(store.count(find_table("runs")), 6);
  EXPECT_EQ(prune(store, {.keep_best = 1}, PruneMode::remove).runs, 3);
  EXPECT_EQ(store.select<RunRecord>("WHERE kind = 'plan'").at(0).value, 1.0);
  EXPECT_EQ(prune(store, {.older_than_days = 1}, PruneMode::remove).runs, 1);
  EXPECT_EQ(store.select<RunRecord>("WHERE kind = 'tune'").at(0).id, busy);
  EXPECT_EQ(store.count(find_table("trials")), 1);
}

TEST_F(StoreTest, IdsAreDistinctAndAscendWithTime) {
  std::vector<std::string> ids;
  for (int i = 0; i < 1000; ++i) ids.push_back(new_record_id());
  EXPECT_EQ(ids[0].size(), 32U);
  EXPECT_LE(ids.front().substr(0, 12), ids.back().substr(0, 12));
  std::ranges::sort(ids);
  EXPECT_EQ(std::ranges::adjacent_find(ids), ids.end());
}

}  // namespace
}  // namespace hone

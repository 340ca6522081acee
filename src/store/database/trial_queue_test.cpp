#include "store/database/trial_queue.h"

#include "store/database/temporary_store_test.h"

namespace hone {
namespace {

class StoreQueueTest : public TemporaryStoreTest {
 protected:
  StoreQueueTest() {
    const std::vector<Json> requests{{{"knob", 0}}, {{"knob", 1}}};
    queue_.add(requests);
  }

  static ClaimTerms terms(std::string worker, double lease_seconds) {
    return {.worker = std::move(worker), .lease_seconds = lease_seconds};
  }
  TrialRecord trial(std::int64_t number) { return store_.select<TrialRecord>("WHERE number = $1", {number}).at(0); }

  Store store_{url_};
  std::string run_ = add_run(store_);
  TrialQueue queue_{store_, run_};
};

constexpr double kLong = 1000, kOver = -1;  // a lease that does not end during a test, and one that has ended

TEST_F(StoreQueueTest, EachWorkerGetsAnotherTrialInOrder) {
  const auto first = queue_.claim(terms("a", kLong)), second = queue_.claim(terms("b", kLong));
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->trial.request["knob"], 0);
  EXPECT_EQ(second->trial.request["knob"], 1);
  EXPECT_FALSE(queue_.claim(terms("c", kLong)));
  EXPECT_EQ(trial(1).worker, "b");
  EXPECT_EQ(queue_.open_trials(), 2);
}

TEST_F(StoreQueueTest, AResultComesWithItsMeasurementsOrNotAtAll) {
  const auto claim = queue_.claim(terms("a", kLong));
  const std::vector<MeasurementRecord> broken{{.graph = "graph1", .hardware = "missing", .software = "software1"}};
  EXPECT_THROW(queue_.finish(*claim, Progress::done, {{"seconds", 1}}, broken), InputError);
  EXPECT_EQ(trial(0).state, Progress::running);
  const std::vector<MeasurementRecord> measurements{
      {.graph = "graph1", .hardware = "hardware1", .software = "software1", .median_seconds = 1}};
  EXPECT_TRUE(queue_.finish(*claim, Progress::done, {{"seconds", 1}}, measurements));
  EXPECT_EQ(trial(0).state, Progress::done);
  EXPECT_EQ(trial(0).outcome["seconds"], 1);
  EXPECT_EQ(store_.select<MeasurementRecord>("WHERE trial = $1", {claim->trial.id}).size(), 1U);
  EXPECT_EQ(queue_.open_trials(), 1);
}

TEST_F(StoreQueueTest, ATrialOfADeadWorkerIsTakenByAnotherAndTheLateResultIsRefused) {
  const auto dead = queue_.claim(terms("dead", kOver));
  const auto heir = queue_.claim(terms("heir", kLong));
  ASSERT_TRUE(dead && heir);
  EXPECT_EQ(heir->trial.id, dead->trial.id);
  EXPECT_FALSE(queue_.beat(*dead, kLong));
  EXPECT_FALSE(queue_.finish(*dead, Progress::done, {{"from", "dead"}}, {}));
  EXPECT_FALSE(queue_.give_back(*dead));
  EXPECT_TRUE(queue_.finish(*heir, Progress::done, {{"from", "heir"}}, {}));
  EXPECT_FALSE(queue_.finish(*heir, Progress::done, {{"from", "twice"}}, {}));
  EXPECT_EQ(trial(0).outcome["from"], "heir");
  EXPECT_EQ(trial(0).attempts, 2);
}

TEST_F(StoreQueueTest, ABeatKeepsTheClaim) {
  const auto claim = queue_.claim(terms("a", kOver));
  EXPECT_TRUE(queue_.beat(*claim, kLong));
  EXPECT_NE(queue_.claim(terms("b", kLong))->trial.id, claim->trial.id);
}

TEST_F(StoreQueueTest, ATrialThatKillsItsWorkersFails) {
  for (int i = 0; i < 3; ++i) EXPECT_EQ(queue_.claim(terms("victim", kOver))->trial.number, 0);
  EXPECT_EQ(queue_.claim(terms("next", kLong))->trial.number, 1);
  EXPECT_EQ(trial(0).state, Progress::failed);
  EXPECT_EQ(trial(0).outcome["error"], "3 workers died of it");
}

TEST_F(StoreQueueTest, WhatIsGivenBackDoesNotCountAsAnAttempt) {
  EXPECT_TRUE(queue_.give_back(*queue_.claim(terms("a", kLong))));
  EXPECT_EQ(trial(0).state, Progress::waiting);
  EXPECT_EQ(trial(0).attempts, 0);
  EXPECT_EQ(trial(0).worker, std::nullopt);
}

TEST_F(StoreQueueTest, AHeartbeatNoticesThatItsClaimIsLost) {
  const auto claim = queue_.claim(terms("slow", kOver));
  queue_.claim(terms("heir", kLong));
  const Heartbeat heartbeat(url_, *claim, 0.003);
  for (int i = 0; i < 10'000 && !heartbeat.is_lost(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_TRUE(heartbeat.is_lost());
}

TEST_F(StoreQueueTest, AHeartbeatKeepsItsClaim) {
  const auto claim = queue_.claim(terms("slow", kOver));
  const Heartbeat heartbeat(url_, *claim, 0.3);
  const double ended = *trial(0).claim_ends;
  for (int i = 0; i < 10'000 && *trial(0).claim_ends <= ended; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_GT(*trial(0).claim_ends, ended);
  EXPECT_FALSE(heartbeat.is_lost());
}

}  // namespace
}  // namespace hone

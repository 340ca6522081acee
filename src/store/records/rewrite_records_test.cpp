#include "store/records/rewrite_records.h"

#include <gtest/gtest.h>

#include "store/database/temporary_store_test.h"
#include "store/records/circumstances.h"

namespace hone {
namespace {

TimedRewrite timed_rewrite(double seconds) {
  TimedRewrite rewrite{.hash = 0xfedcba9876543210, .rules = "a, b", .seconds = seconds, .again_seconds = seconds + 1};
  rewrite.estimated[TimePart::pooling] = 0.1 + seconds;
  rewrite.timed[TimePart::kernels] = 3e-7;
  return rewrite;
}

using RewriteRecordsTest = TemporaryStoreTest;

TEST_F(RewriteRecordsTest, ComeBackAsTheyWere) {
  Store store(url_);
  const ProfileContext context{.hardware = "here", .runtime = "somewhere 1.2", .threads = 2};
  const GraphRecord graph{{.id = "g", .description = {{"name", "net"}}}};
  const TimedRewrites timed{
      .model = "net", .start = timed_rewrite(1), .rewrites = {timed_rewrite(2), timed_rewrite(0.5)}};
  record_rewrites(store, graph, context, timed);
  const std::vector<TimedRewrites> found = stored_rewrites(store, context);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].model, "net");
  ASSERT_EQ(found[0].rewrites.size(), 2u);
  const TimedRewrite& last = found[0].rewrites[1];
  EXPECT_EQ(last.hash, timed.rewrites[1].hash);
  EXPECT_EQ(last.rules, "a, b");
  EXPECT_EQ(last.seconds, 0.5);
  EXPECT_EQ(last.again_seconds, 1.5);
  EXPECT_EQ(last.estimated.seconds, timed.rewrites[1].estimated.seconds);
  EXPECT_EQ(last.timed.seconds, timed.rewrites[1].timed.seconds);

  EXPECT_EQ(rewrites_by_runtime(store).at("somewhere").size(), 1u);
  ProfileContext elsewhere = context;
  elsewhere.threads = 1;
  EXPECT_TRUE(stored_rewrites(store, elsewhere).empty());
  record_rewrites(store, graph, context, {.model = "net", .start = timed_rewrite(3), .rewrites = {}});
  ASSERT_EQ(stored_rewrites(store, context).size(), 1u);
  EXPECT_EQ(stored_rewrites(store, context)[0].start.seconds, 3);
}

}  // namespace
}  // namespace hone

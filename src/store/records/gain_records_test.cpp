#include "store/records/gain_records.h"

#include <gtest/gtest.h>

#include "store/database/temporary_store_test.h"

namespace hone {
namespace {

using GainRecordsTest = TemporaryStoreTest;

TEST_F(GainRecordsTest, ComeBackAsTheyWereAndTheLastCounts) {
  Store store(url_);
  const GraphRecord graph{{.id = "g", .description = {{"name", "net"}}}};
  const MeasuredGains first{.model = "zoo:net", .runtime = "somewhere", .seconds = 2, .gains = {}};
  record_gains(store, graph, first);
  MeasuredGains second = first;
  second.seconds = 3;
  second.gains = {{.steps = {"fold", "scan"}, .log_ratio = -0.25, .error = 0.01}};
  record_gains(store, graph, second);
  MeasuredGains elsewhere = first;
  elsewhere.runtime = "elsewhere";
  record_gains(store, graph, elsewhere);
  const std::vector<MeasuredGains> found = stored_gains(store);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].runtime, "elsewhere");
  EXPECT_EQ(found[1].seconds, 3);
  ASSERT_EQ(found[1].gains.size(), 1u);
  EXPECT_EQ(found[1].gains[0].steps, (std::vector<std::string>{"fold", "scan"}));
  EXPECT_EQ(found[1].gains[0].log_ratio, -0.25);
  EXPECT_EQ(found[1].gains[0].error, 0.01);
}

}  // namespace
}  // namespace hone

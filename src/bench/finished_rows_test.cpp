#include "bench/finished_rows.h"

#include <gtest/gtest.h>

#include "base/child_process.h"
#include "plan/problem/workload.h"

namespace hone {
namespace {

using Json = nlohmann::ordered_json;

GraphRecord some_graph() {
  WorkloadBuilder builder("graph");
  builder.add_operation({.flops = 1}, {}, {});
  return graph_record(std::move(builder).build());
}

Json request_of(std::uint64_t seed) {
  return {{"model", "squeezenet"}, {"seed", seed}, {"methods", {"greedy", "taso"}}};
}

TEST(FinishedRows, AreTakenBackByALaterRunForTheSameRequestOnly) {
  const TemporaryFolder folder;
  const std::string url = folder.path() / "rows.db";
  const Json rows{{"rows", {{{"method", "greedy"}, {"seconds", 0.1}, {"graph", "00ff"}}, {{"method", "taso"}}}}};
  FinishedRows("rewrite", url).add(some_graph(), request_of(1), rows);
  FinishedRows later("rewrite", url);
  EXPECT_EQ(later.find(request_of(1)), rows);
  EXPECT_EQ(later.find(request_of(2)), std::nullopt);
  EXPECT_EQ(FinishedRows("regal", url).find(request_of(1)), std::nullopt);
}

TEST(FinishedRows, OfOneRequestTheLastIsTaken) {
  const TemporaryFolder folder;
  FinishedRows finished("rewrite", folder.path() / "rows.db");
  finished.add(some_graph(), request_of(1), {{"rows", 1}});
  finished.add(some_graph(), request_of(1), {{"rows", 2}});
  EXPECT_EQ((*finished.find(request_of(1)))["rows"], 2);
}

TEST(FinishedRows, WithoutAStoreNothingIsKept) {
  FinishedRows finished("rewrite", "");
  finished.add(some_graph(), request_of(1), {{"rows", 1}});
  EXPECT_EQ(finished.find(request_of(1)), std::nullopt);
}

}  // namespace
}  // namespace hone

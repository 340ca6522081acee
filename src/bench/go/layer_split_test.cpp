#include "bench/go/layer_split.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "bench/graph_set.h"
#include "plan/machine/machine_file.h"

namespace hone {
namespace {

/// By layer: how many of the operations whose names contain `part` are in it.
std::vector<std::size_t> counts(const Workload& workload, const std::vector<std::uint32_t>& layer_of,
                                std::string_view part) {
  std::vector<std::size_t> counted(*std::ranges::max_element(layer_of) + 1);
  for (std::size_t i = 0; i < layer_of.size(); ++i)
    if (workload.operation(OperationId(i)).name.find(part) != std::string::npos) ++counted[layer_of[i]];
  return counted;
}

TEST(LayerSplit, GradientsAndUpdatesAreWhereTheirLayersAre) {
  const Workload workload =
      std::move(load_graphs({"zoo:rnnlm:layers=3,length=2,hidden=8,training=true"}).front().workload);
  const std::vector<std::uint32_t> layer_of = layers_of(workload, {"layer"});
  for (std::size_t layer = 0; layer < 3; ++layer) {
    const std::vector<std::size_t> counted = counts(workload, layer_of, "layer" + std::to_string(layer));
    for (std::size_t other = 0; other < 3; ++other) EXPECT_EQ(counted[other] > 0, other == layer);
  }
  EXPECT_GT(counts(workload, layer_of, "/softmax")[2], 0U);
  EXPECT_EQ(counts(workload, layer_of, "/softmax")[0], 0U);
}

TEST(LayerSplit, ScopesWithoutANumberCanHaveOne) {
  const Workload workload =
      std::move(load_graphs({"zoo:gnmt:layers=2,length=2,hidden=8,vocabulary=20"}).front().workload);
  const std::vector<std::uint32_t> layer_of = layers_of(workload, {"layer", "forward=0", "backward=0"});
  EXPECT_EQ(counts(workload, layer_of, "/encoder/forward/")[1], 0U);
  EXPECT_GT(counts(workload, layer_of, "/encoder/forward/")[0], 0U);
}

TEST(LayerSplit, GivesEveryDeviceAStretch) {
  const Problem problem{
      .workload = std::move(load_graphs({"zoo:wavenet:stacks=2,layers=4,length=64,training=true"}).front().workload),
      .machine = load_machine("p100-4")};
  const std::vector<std::uint32_t> layer_of = layers_of(problem.workload, {"stack", "layer"});
  EXPECT_EQ(*std::ranges::max_element(layer_of), 7U);
  for (const Plan& plan : layer_splits(problem, layer_of)) {
    EXPECT_EQ(check(problem, plan), std::nullopt);
    std::vector<std::uint32_t> first(4, 100), last(4, 0);
    for (std::size_t i = 0; i < layer_of.size(); ++i) {
      const std::size_t device = plan.device_of[i].index();
      first[device] = std::min(first[device], layer_of[i]);
      last[device] = std::max(last[device], layer_of[i]);
    }
    for (std::size_t device = 1; device < 4; ++device) EXPECT_EQ(first[device], last[device - 1] + 1);
  }
}

}  // namespace
}  // namespace hone

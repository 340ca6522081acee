#include <gtest/gtest.h>

#include "base/child_process.h"
#include "graph/clean/clean_case_test.h"
#include "learn/rewrite/graph_prices.h"
#include "learn/train/trainer.h"
#include "rewrite/search/everywhere.h"
#include "rewrite/worth/measured_gains.h"

namespace hone::learn {
namespace {

Model softplus_model(int width) {
  return typed_model(fmt::format("net (float[{0}, {0}] x) => (float[{0}, {0}] y) {{ y = Softplus(x) }}", width));
}

/// Measurements in which a Softplus in pieces takes half the time on one runtime and twice on the other.
TrainingData planted_gains() {
  std::vector<MeasuredGains> gains;
  for (const int width : {16, 24, 32, 48, 64, 96, 128}) {
    const double seconds = 1e-9 * width * width;
    gains.push_back({.model = std::to_string(width),
                     .runtime = "fast",
                     .seconds = seconds,
                     .gains = {{.steps = {"kernels_softplus"}, .log_ratio = -0.7, .error = 0.01}}});
    gains.push_back({.model = std::to_string(width),
                     .runtime = "slow",
                     .seconds = seconds,
                     .gains = {{.steps = {"kernels_softplus"}, .log_ratio = 0.7, .error = 0.01}}});
  }
  return {
      .workloads = {},
      .models = {},
      .graph_time = {},
      .gains = [gains] { return gains; },
      .model = [](const std::string& name) { return std::make_shared<const Model>(softplus_model(std::stoi(name))); }};
}

TEST(PriceTrainerTest, LearnsWhatARewriteIsWorthOnEachRuntime) {
  TrainingRequest request;
  request.method = "hone-prices";
  request.graphs = 4;
  request.width = 8;
  request.rounds = 1;
  request.rate = 0.02;
  const TrainerKind& kind = TrainerKind::named("hone-prices");
  const std::unique_ptr<Trainer> trainer = kind.make(kind.completed(request), planted_gains());
  trainer->examples().prepare();
  for (std::uint64_t step = 0; step < 150; ++step) trainer->step(step);
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "prices.safetensors").string();
  write_safetensors(file, trainer->policy(150));
  const Model before = softplus_model(80);
  Model after = before;
  ASSERT_EQ(apply_everywhere(after, select_rules("kernels_softplus"), {}), 1u);
  infer_types(after);
  const auto ratio = [&](const std::string& runtime) {
    const std::optional<GraphPrices> prices = GraphPrices::of(file, runtime);
    return prices->seconds(after) / prices->seconds(before);
  };
  EXPECT_LT(ratio("fast"), 0.8);
  EXPECT_GT(ratio("slow"), 1.3);
  EXPECT_FALSE(GraphPrices::of(file, "another"));
}

}  // namespace
}  // namespace hone::learn

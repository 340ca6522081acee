#include "learn/rewrite/graph_prices.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "learn/rewrite/price_columns.h"

namespace hone {
namespace {

constexpr std::string_view kPriceSchema = "hone-prices-3", kBuiltinPrices = "hone-prices";

NetworkSpec price_network(const NetworkShape& shape) {
  NetworkSpec spec = encoder_network("prices.", shape, kPriceColumns, kPricedRuntimes);
  spec.free.push_back({.name = kPriceRule, .shape = {kPricedRuntimes, kPriceColumns}, .deviation = 0.01});
  spec.free.push_back({.name = kPriceFrame, .shape = {kPricedRuntimes}, .deviation = 0.01});
  return spec;
}

class PricePolicy final : public PolicyKind {
 public:
  PricePolicy()
      : PolicyKind("prices", "what nodes of a graph take where they stand", kPriceSchema,
                   {{kPriceNetwork, price_network}}) {}

  /// The roofline of an ordinary processor.
  void set_first_rule(Safetensors& contents, const Objective&) const override {
    NamedArray& rule = contents.arrays.at(std::string("prices.") + kPriceRule);
    std::ranges::fill(rule.values, 0.0F);
    for (std::size_t i = 0; i < kPricedRuntimes; ++i)
      rule.values[i * kPriceColumns + static_cast<std::size_t>(PriceColumn::roofline)] = 1;
  }
};

const PricePolicy the_price_policy;

bool are_prices_built_in() {
  return std::ranges::any_of(builtin_policies(), [](const auto& each) { return each.name == kBuiltinPrices; });
}

}  // namespace

const PolicyKind& price_policy() { return the_price_policy; }

std::string priced_runtime_key(std::size_t place) { return fmt::format("runtime{}", place); }

std::optional<GraphPrices> GraphPrices::of(const std::string& name, const std::string& runtime) {
  Policy policy = Policy::load(name);
  if (&policy.kind() != &the_price_policy)
    fail_usage("{}: a policy of kind '{}' does not say what nodes take", name, policy.kind().name());
  for (std::size_t place = 0; place < kPricedRuntimes; ++place) {
    const auto named = policy.card().find(priced_runtime_key(place));
    if (named != policy.card().end() && named->second == runtime) return GraphPrices(std::move(policy), place);
  }
  return std::nullopt;
}

std::optional<GraphPrices> GraphPrices::builtin(const std::string& runtime) {
  return are_prices_built_in() ? of(std::string(kBuiltinPrices), runtime) : std::nullopt;
}

std::optional<GraphPrices> GraphPrices::first_builtin() {
  if (!are_prices_built_in()) return std::nullopt;
  const Policy policy = Policy::load(std::string(kBuiltinPrices));
  for (std::size_t place = 0; place < kPricedRuntimes; ++place)
    if (const auto named = policy.card().find(priced_runtime_key(place)); named != policy.card().end())
      return builtin(named->second);
  return std::nullopt;
}

std::string GraphPrices::digest() const { return policy_.digest(); }

PricedGraph GraphPrices::price(const Model& model, std::span<const std::string> options) const {
  const RewriteScene scene = price_scene(model, options);
  const Network& network = policy_.network(kPriceNetwork);
  const std::vector<float>& rule = network.free(kPriceRule);
  const std::vector<float> outputs = network.run(scene.input());
  double sum = std::exp(static_cast<double>(network.free(kPriceFrame)[runtime_]));
  std::vector<double> columns(kPriceColumns);
  for (std::size_t row = 0; row < scene.nodes; ++row) {
    const float* numbers = &scene.rows[row * kPriceColumns];
    double price = outputs[row * kPricedRuntimes + runtime_];
    for (std::size_t i = 0; i < kPriceColumns; ++i) price += rule[runtime_ * kPriceColumns + i] * numbers[i];
    const double taken = std::exp(price);
    sum += taken;
    for (std::size_t i = 0; i < kPriceColumns; ++i) columns[i] += taken * numbers[i];
  }
  for (double& column : columns) column /= sum;
  return {.seconds = kPriceUnit * sum, .columns = std::move(columns)};
}

double StatePrices::seconds(const RewriteState& state) const {
  Model model = model_;
  model.graph = state.graph;
  return prices_.seconds(model);
}

}  // namespace hone

#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "graph/ir/model.h"
#include "learn/policy/policy.h"
#include "learn/rewrite/rewrite_scene.h"
#include "rewrite/search/graph_pricing.h"

namespace hone {

/// What networks of prices see of a graph: a row a node that is computed in every run, and edges from those that make a
/// value to those that read it. No actions. Sizes that are not known count as nothing. `options` names those that it
/// is run with, which must have prices.
RewriteScene price_scene(const Model& model, std::span<const std::string> options = {});

/// Whether prices know an option of a runtime, by the name of the move that sets it: `without SkipLayerNormFusion`.
bool is_priced_option(std::string_view name);

/// The kind of policy that prices the nodes of a graph where they stand.
const PolicyKind& price_policy();

/// Of how many runtimes a policy has prices at most, and under which key its card names one of them.
inline constexpr std::size_t kPricedRuntimes = 2;
std::string priced_runtime_key(std::size_t place);

inline constexpr std::string_view kPriceNetwork = "prices";
/// Arrays of no layer: what columns of a row count as they are, and what a run takes besides its nodes.
inline constexpr const char *kPriceRule = "rule", *kPriceFrame = "frame";
/// Prices are logarithms of so many seconds.
inline constexpr double kPriceUnit = 1e-6;

/// What a graph takes, and of what it is made: how much of every column its nodes have, each counted by its share of
/// the time. By so much the logarithm of the time grows with what a column is worth.
struct PricedGraph {
  double seconds = 0;
  std::vector<double> columns;
};

/// What a graph takes on one runtime, as learned from measured rewrites of other graphs: the sum over its nodes of
/// prices that a network gives them by what they are and what stands around them, so that what a runtime fuses, keeps
/// in its own layouts or has slow kernels for is known without asking it. Milliseconds for thousands of nodes.
class GraphPrices {
 public:
  /// Those of a runtime in a policy that is built in or a file; nothing where it has none. Throws InputError for a
  /// policy of another kind.
  static std::optional<GraphPrices> of(const std::string& policy, const std::string& runtime);
  /// Those that are built in for a runtime; nothing where there are none.
  static std::optional<GraphPrices> builtin(const std::string& runtime);
  /// Those that are built in for the first runtime that has any; nothing where there are none.
  static std::optional<GraphPrices> first_builtin();

  /// What tells these prices from all others.
  std::string digest() const;

  /// Types must have been inferred, and the options it is run with must have prices.
  PricedGraph price(const Model& model, std::span<const std::string> options = {}) const;
  double seconds(const Model& model, std::span<const std::string> options = {}) const {
    return price(model, options).seconds;
  }

 private:
  GraphPrices(Policy policy, std::size_t runtime) : policy_(std::move(policy)), runtime_(runtime) {}

  Policy policy_;
  std::size_t runtime_;
};

/// Prices whole graphs of a space of rewrites; the model and the prices must outlive it.
class StatePrices final : public GraphPricing {
 public:
  StatePrices(const Model& model, const GraphPrices& prices) : model_(model), prices_(prices) {}
  double seconds(const RewriteState& state) const override;

 private:
  const Model& model_;
  const GraphPrices& prices_;
};

}  // namespace hone

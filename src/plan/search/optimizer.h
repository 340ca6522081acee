#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "base/plugin_kind.h"
#include "plan/search/search.h"

namespace hone {

/// A way to look for good decisions. It ends when it has nothing left to try or `search` says that the budget is spent.
class Optimizer {
 public:
  virtual ~Optimizer() = default;
  virtual void run(Search& search) = 0;
  /// Whether it decides for groups of operations as well: true of what asks the task for sites and nothing else, false
  /// of what makes plans from the operations of the workload.
  virtual bool plans_groups() const { return false; }
  /// What it was told.
  virtual Parameters parameters() { return {}; }
  /// The same for reports, by name.
  virtual nlohmann::ordered_json json();
};

/// One kind of optimiser, under the name the user types.
class OptimizerKind : public PluginKind<OptimizerKind, Optimizer> {
 public:
  static constexpr std::string_view kCalled = "optimiser";
  using PluginKind::PluginKind;
};

/// `brkga:population=200,elite=0.2`; `critical-path+brkga` runs one after another on one budget, each from the best
/// plan so far if it can make use of one. Throws InputError (usage) for an unknown name or parameter.
std::unique_ptr<Optimizer> make_optimizer(std::string_view spec);

}  // namespace hone

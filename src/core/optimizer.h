#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/parameters.h"
#include "core/search.h"

namespace hone {

/// A way to look for good decisions. It ends when it has nothing left to try or `search` says that the budget is spent.
class Optimizer {
 public:
  virtual ~Optimizer() = default;
  virtual void run(Search& search) = 0;
  /// What it was told.
  virtual Parameters parameters() { return {}; }
  /// The same for reports, by name.
  virtual nlohmann::ordered_json json();
};

/// One kind of optimiser, under the name the user types. Defining one at namespace scope registers it.
class OptimizerKind {
 public:
  /// Makes one from the text behind the colon of a spec.
  using Make = std::function<std::unique_ptr<Optimizer>(std::string_view)>;

  OptimizerKind(std::string_view name, std::string_view summary, Make factory, std::string help = "");
  OptimizerKind(const OptimizerKind&) = delete;
  OptimizerKind& operator=(const OptimizerKind&) = delete;

  std::string_view name() const { return name_; }
  std::string_view summary() const { return summary_; }
  /// A line for every parameter.
  const std::string& help() const { return help_; }
  std::unique_ptr<Optimizer> make(std::string_view parameters) const { return make_(parameters); }

  /// All kinds by name.
  static std::vector<const OptimizerKind*> all();

 private:
  std::string_view name_, summary_;
  Make make_;
  std::string help_;
};

/// Registers an optimiser that is made from an aggregate of parameters with a `list()`.
template <class Made, class Chosen>
OptimizerKind kind_with_parameters(std::string_view name, std::string_view summary) {
  const auto make = [](std::string_view text) -> std::unique_ptr<Optimizer> {
    Chosen chosen;
    chosen.list().parse(text);
    return std::make_unique<Made>(chosen);
  };
  return {name, summary, make, Chosen().list().help()};
}

/// `brkga:population=200,elite=0.2`; `critical-path+brkga` runs one after another on one budget, each from the best
/// plan so far if it can make use of one. Throws InputError (usage) for an unknown name or parameter.
std::unique_ptr<Optimizer> make_optimizer(std::string_view spec);

}  // namespace hone

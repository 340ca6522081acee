#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/ir/model.h"
#include "run/runtime/options.h"

namespace hone {

/// What a step changes: the model itself, or only how it is run, by options that any model could have or by a plan that
/// holds for this one.
enum class Part { model, runtime, plan };
std::string_view name_of(Part part);

/// One thing done on the way from the original to a proposal.
struct Step {
  Part part = Part::model;
  std::string name;       // `rules fold`, `without SkipLayerNormFusion`
  std::size_t sites = 1;  // where it was done
};

/// A model and how to run it: what a search compares and what is delivered in the end.
struct Proposal {
  std::shared_ptr<const Model> model;
  RuntimeOptions options;
  std::vector<Step> steps;
};

/// A way to change proposals. Nothing comes back where it would change nothing.
struct Move {
  /// What it changes, in the order in which moves are tried on top of one another: what the later ones are worth
  /// depends on the earlier.
  enum class Kind {
    model,
    option,  // one of the runtime's
    level,   // of the runtime's own optimisers
  };

  Kind kind = Kind::model;
  std::string name;
  std::function<std::optional<Proposal>(const Proposal&)> apply;
};

}  // namespace hone

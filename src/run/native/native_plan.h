#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "run/native/groups.h"

namespace hone::native {

/// The machine that plans are made on where nothing else is said: one core, as this executor uses it.
inline constexpr const char* kNativeMachine = "native-1";

/// What a plan for the executor speaks of.
enum class PlannedForm : std::uint8_t {
  as_given,  // the model as it is
  cleaned,   // what clean-up makes of it
  expanded,  // the same, with operators that have no code written as others
};

/// A plan that came from outside.
struct GivenPlan {
  PlannedForm form = PlannedForm::expanded;
  Machine machine;
  Plan plan;
};

/// How a model is run: what the user may choose behind `native:`, or a plan says.
struct NativeChoice {
  std::string layout = "auto";
  std::string groups = "priority";
  std::string epilogues = "in-passing";
  std::string prologues = "in-passing";
  std::string joining = "in-place";
  std::string attention = "together";
  std::shared_ptr<const GivenPlan> plan;  // instead of `groups`; may be null

  friend bool operator==(const NativeChoice&, const NativeChoice&) = default;
};

/// Throws InputError (usage) for a choice of names that nothing has.
void require_known(const NativeChoice& choice);

/// A model and the groups it runs in. Without fixed sizes it has none.
struct PlannedModel {
  std::shared_ptr<const Model> model;
  bool has_fixed_sizes = false;
  std::size_t group_count = 0;  // of the plan; what runs together with another group has none below
  NodeGroups groups;
};

/// A model made ready for lowering by a choice: cleaned and expanded, unless a plan speaks of it as it was given, and
/// normalisations by given statistics as arithmetic. Throws InputError for a plan of another graph.
PlannedModel planned(const Model& model, const NativeChoice& choice);

/// Reads a plan file for a model or for what clean-up makes of it; `choice` with that plan. Throws InputError, see
/// Runtime::by_plan.
NativeChoice choice_by_plan(const Model& model, const std::filesystem::path& file, NativeChoice choice);

/// The plan file by which a model runs.
std::string plan_text(const Model& model, const NativeChoice& choice);

/// Whether sizes of all values are known before the model runs, and there is code for their types.
bool has_fixed_sizes(const Graph& graph);

}  // namespace hone::native

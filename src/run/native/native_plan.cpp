#include "run/native/native_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/mapped_file.h"
#include "graph/clean/clean.h"
#include "graph/expand/expand.h"
#include "plan/fuse/check_fusion.h"
#include "plan/fuse/inliner.h"
#include "plan/fuse/priority_fusion.h"
#include "plan/fuse/priority_merging.h"
#include "plan/machine/machine_file.h"
#include "plan/problem/lower.h"
#include "plan/problem/plan_file.h"
#include "run/native/attention.h"
#include "run/native/fold_normalization.h"

namespace hone::native {
namespace {

using nlohmann::json;

constexpr const char* kKey = "native";

/// What a plan file says to this executor alone, by names of its parameters.
struct NativeKey {
  const char* name;
  std::string NativeChoice::*value;
};
constexpr NativeKey kNativeKeys[] = {{"layout", &NativeChoice::layout}, {"attention", &NativeChoice::attention}};

/// Groups, and the order in which nodes come: of groups that might run, the one whose last node comes first.
Plan with_groups(const Problem& problem, const Grouping& grouping) {
  Plan plan = plan_on_one_device(problem.workload);
  const auto order = problem.workload.topological_order();
  plan.priority.resize(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) plan.priority[order[i].index()] = -static_cast<float>(i);
  GroupWriter().write(grouping, plan);
  return plan;
}

/// What saves most time by the model of kernels first: as one kernel of several results, then computed by readers.
Plan priority_plan(const Problem& problem) {
  const Plan alone = plan_on_one_device(problem.workload);
  const FusionGraph graph(problem);
  GroupForest forest(graph);
  PriorityMerging(problem, graph, alone).run(forest);
  Inliner inliner(graph);
  inliner.inline_into(forest, PriorityFusion(problem, graph, alone, forest).run());
  return with_groups(problem, inliner.grouping());
}

Plan plan_of_singles(const Problem& problem) {
  Grouping grouping;
  for (std::uint32_t i = 0; i < problem.workload.operation_count(); ++i) grouping.group_of.push_back(i);
  return with_groups(problem, grouping);
}

/// A problem and its plan.
struct PlannedProblem {
  Problem problem;
  Plan plan;
};

PlannedProblem plan_for(const Model& model, const NativeChoice& choice) {
  PlannedProblem planned{
      .problem = {.workload = lower(model), .machine = load_machine(kNativeMachine), .sharding = {}}};
  if (choice.plan) {
    planned.problem.machine = choice.plan->machine;
    planned.plan = choice.plan->plan;
    if (const auto flaw = check(planned.problem, planned.plan)) fail("a plan does not fit the model: {}", *flaw);
  } else {
    planned.plan = choice.groups == "none" ? plan_of_singles(planned.problem) : priority_plan(planned.problem);
  }
  return planned;
}

std::shared_ptr<Model> in_form(const Model& model, PlannedForm form) {
  auto made = std::make_shared<Model>(model);
  if (form != PlannedForm::as_given) clean(*made);
  if (form == PlannedForm::expanded && expand_operators(*made) > 0) clean(*made);
  return made;
}

PlannedForm form_of(const NativeChoice& choice) { return choice.plan ? choice.plan->form : PlannedForm::expanded; }

}  // namespace

void require_known(const NativeChoice& choice) {
  const auto require = [](std::string_view parameter, const std::string& value, std::vector<std::string_view> known) {
    if (std::ranges::find(known, value) == known.end())
      fail_usage("{} '{}' is not known, there are {}", parameter, value, fmt::join(known, ", "));
  };
  require("layout", choice.layout, {"auto", "blocks", "channels-last"});
  require("groups", choice.groups, {"priority", "none"});
  require("epilogues", choice.epilogues, {"in-passing", "apart"});
  require("prologues", choice.prologues, {"in-passing", "apart"});
  require("joining", choice.joining, {"in-place", "copied"});
  require("attention", choice.attention, {"together", "apart"});
}

bool has_fixed_sizes(const Graph& graph) {
  if (!graph.encoded_sources().empty()) return false;
  const auto is_fixed = [&](ValueId id) {
    const Type& type = graph.value(id).type;
    return !id.valid() ||
           (type.is_static_tensor() && type.element != ElementType::string && bit_width(type.element) >= 8);
  };
  for (const NodeId id : graph.nodes())
    for (const ValueId output : graph.node(id).outputs)
      if (output.valid() && !is_fixed(output)) return false;
  for (const ValueId input : graph.inputs())
    if (!is_fixed(input)) return false;
  return true;
}

PlannedModel planned(const Model& model, const NativeChoice& choice) {
  const std::shared_ptr<Model> made = in_form(model, form_of(choice));
  if (!has_fixed_sizes(made->graph)) {
    fold_normalizations(*made);
    return {.model = made};
  }
  const PlannedProblem found = plan_for(*made, choice);
  NodeGroups groups = groups_of_plan(made->graph, found.problem, found.plan);
  replace_nodes(groups, fold_normalizations(*made));
  if (choice.attention == "together") groups = with_attention_together(*made, std::move(groups));
  return {.model = made, .has_fixed_sizes = true, .group_count = found.plan.group_count(), .groups = std::move(groups)};
}

NativeChoice choice_by_plan(const Model& model, const std::filesystem::path& file, NativeChoice choice) {
  const std::string source = file.string();
  auto given = std::make_shared<GivenPlan>();
  given->machine = load_machine(machine_name_in_plan(file));
  std::shared_ptr<const Model> made;
  for (const PlannedForm form : {PlannedForm::as_given, PlannedForm::cleaned, PlannedForm::expanded}) {
    made = in_form(model, form);
    given->form = form;
    if (!has_fixed_sizes(made->graph))
      fail("{}: no plan can be obeyed, as not all values of the model have sizes before it runs", source);
    if (is_plan_for(file, lower(*made))) break;
  }
  Problem problem{.workload = lower(*made), .machine = given->machine, .sharding = {}};
  given->plan = load_plan(file, problem.workload, problem.machine);
  if (const auto flaw = check_fusion(problem, given->plan)) fail_usage("{}: {}", source, *flaw);
  const std::shared_ptr<const MappedFile> mapped = MappedFile::open(file);
  const json text =
      json::parse(std::string_view(reinterpret_cast<const char*>(mapped->bytes().data()), mapped->bytes().size()));
  if (const auto own = text.find(kKey); own != text.end() && own->is_object())
    for (const NativeKey& key : kNativeKeys)
      if (const json value = own->value(key.name, json()); value.is_string()) choice.*key.value = value;
  require_known(choice);
  choice.plan = std::move(given);
  return choice;
}

std::string plan_text(const Model& model, const NativeChoice& choice) {
  const std::shared_ptr<const Model> made = in_form(model, form_of(choice));
  if (!has_fixed_sizes(made->graph)) return {};
  const PlannedProblem found = plan_for(*made, choice);
  json text = json::parse(plan_json(found.problem.workload, found.problem.machine, found.plan));
  for (const NativeKey& key : kNativeKeys) text[kKey][key.name] = choice.*key.value;
  return text.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace hone::native

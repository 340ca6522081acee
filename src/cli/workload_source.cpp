#include "cli/workload_source.h"

#include <optional>

#include "base/text_file.h"
#include "formats/foreign/cost_graph.h"
#include "formats/foreign/fiddle.h"
#include "formats/foreign/format.h"
#include "formats/foreign/pipedream.h"
#include "formats/foreign/stg.h"
#include "formats/hlo/read.h"
#include "formats/hlo/workload.h"
#include "plan/methods/room.h"
#include "plan/problem/lower.h"
#include "zoo/dataset.h"
#include "zoo/registry.h"

namespace hone {
namespace {

bool is_model(const std::string& spec) {
  return is_zoo_spec(spec) || spec.ends_with(".onnx") || spec.ends_with(".onnxtxt");
}

PlanningSource parse_problem(std::string_view text, const std::string& path) {
  FiddleProblem problem = parse_fiddle(text, path);
  Machine machine = machine_of(problem);
  return {.workload = std::move(problem.workload),
          .machine = std::move(machine),
          .unit_seconds = FiddleProblem::kUnitSeconds};
}

PlanningSource parse_as(ForeignFormat format, TextFile file, const std::string& path) {
  switch (format) {
    case ForeignFormat::hlo: return {hlo::to_workload(hlo::read_loaded(std::move(file), path))};
    case ForeignFormat::cost_graph: return {parse_cost_graph(file.text, path)};
    case ForeignFormat::fiddle: return parse_problem(file.text, path);
    case ForeignFormat::pipedream: return {parse_pipedream(file.text, path)};
    case ForeignFormat::stg: return {parse_stg(file.text, path)};
    default: fail("{}: is in the {} format, which is no graph of operations", path, name_of(format));
  }
}

/// What the user names when it is no model, else nothing.
std::optional<PlanningSource> load_other(const std::string& spec) {
  if (is_model(spec)) return std::nullopt;
  if (zoo::is_dataset_recipe(spec)) {
    zoo::DatasetRecipe recipe = zoo::parse_recipe(spec);
    recipe.count = 1;
    zoo::Dataset::Filter filter;
    if (recipe.keep == zoo::Keep::room) filter = [](const Workload& graph) { return has_room(graph, RoomTest()); };
    const zoo::Dataset dataset(recipe, filter);
    return PlanningSource{dataset.graph(dataset.items().front())};
  }
  TextFile file = read_text_file(spec);
  const ForeignFormat format = detect_format(file.text);
  if (format == ForeignFormat::unknown) return std::nullopt;
  return parse_as(format, std::move(file), spec);
}

}  // namespace

PlanningSource load_planning_source(const std::string& spec, const DimOptions& dims) {
  if (std::optional<PlanningSource> other = load_other(spec)) {
    if (!dims.empty()) fail_usage("only models have dimensions to fix, '{}' is none", spec);
    return *std::move(other);
  }
  Model model = load_model(spec);
  dims.apply(model);
  return {lower(model)};
}

Workload load_workload(const std::string& spec, const DimOptions& dims) {
  return load_planning_source(spec, dims).workload;
}

OperationOrigin origin_of_operation(const std::string& spec) {
  if (is_model(spec)) return OperationOrigin::model;
  if (zoo::is_dataset_recipe(spec)) return OperationOrigin::other;
  switch (detect_format(read_text_file(spec).text)) {
    case ForeignFormat::unknown: return OperationOrigin::model;
    case ForeignFormat::hlo: return OperationOrigin::hlo_module;
    default: return OperationOrigin::other;
  }
}

std::string default_machine(const Workload& workload) {
  const bool on_processors = workload.device_kinds == std::vector<std::string>{"processor"};
  return on_processors ? "processors:2" : "p100-4";
}

}  // namespace hone

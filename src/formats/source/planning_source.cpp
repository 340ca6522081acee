#include "formats/source/planning_source.h"

#include "base/error.h"
#include "base/text_file.h"
#include "base/timer.h"
#include "formats/foreign/cost_graph.h"
#include "formats/foreign/doppler.h"
#include "formats/foreign/fiddle.h"
#include "formats/foreign/format.h"
#include "formats/foreign/iopddl.h"
#include "formats/foreign/minimalloc.h"
#include "formats/foreign/pipedream.h"
#include "formats/foreign/stg.h"
#include "formats/hlo/read.h"
#include "formats/hlo/workload.h"
#include "formats/source/model_file.h"
#include "plan/machine/machine_file.h"
#include "plan/methods/room.h"
#include "plan/problem/lower.h"
#include "plan/problem/plan_file.h"
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

PlanningSource parse_module(TextFile file, const std::string& path) {
  auto module = std::make_shared<const hlo::Module>(hlo::read_loaded(std::move(file), path));
  return {.workload = hlo::to_workload(*module), .module = module};
}

PlanningSource parse_as(ForeignFormat format, TextFile file, const std::string& path) {
  switch (format) {
    case ForeignFormat::hlo: return parse_module(std::move(file), path);
    case ForeignFormat::cost_graph: return {.workload = parse_cost_graph(file.text, path)};
    case ForeignFormat::fiddle: return parse_problem(file.text, path);
    case ForeignFormat::pipedream: return {.workload = parse_pipedream(file.text, path)};
    case ForeignFormat::doppler: return {.workload = parse_doppler(file.text, path)};
    case ForeignFormat::stg: return {.workload = parse_stg(file.text, path)};
    case ForeignFormat::iopddl:
      return {.sharding = std::make_shared<const ShardingProblem>(parse_iopddl(file.text, path))};
    case ForeignFormat::minimalloc: return {.memory = parse_minimalloc(file.text, path)};
    case ForeignFormat::unknown: break;
  }
  fail("{}: is in no format that can be planned", path);
}

Workload first_of_recipe(const std::string& spec) {
  zoo::DatasetRecipe recipe = zoo::parse_recipe(spec);
  recipe.count = 1;
  zoo::Dataset::Filter filter;
  if (recipe.keep == zoo::Keep::room) filter = [](const Workload& graph) { return has_room(graph, RoomTest()); };
  const zoo::Dataset dataset(recipe, filter);
  return dataset.graph(dataset.items().front());
}

/// What the user names when it is no model, else nothing.
std::optional<PlanningSource> open_other(const std::string& spec) {
  if (is_model(spec)) return std::nullopt;
  if (zoo::is_dataset_recipe(spec)) return PlanningSource{.workload = first_of_recipe(spec)};
  std::error_code ignored;
  if (std::filesystem::is_directory(spec, ignored)) return std::nullopt;  // which is told as of a model
  TextFile file = read_text_file(spec);
  const ForeignFormat format = detect_format(file.text);
  if (format == ForeignFormat::unknown) return std::nullopt;
  return parse_as(format, std::move(file), spec);
}

PlanningSource open_model(const std::string& spec, InputSizes dims, OpenDims open_dims) {
  auto model = std::make_shared<const Model>(load_model(spec));
  if (open_dims == OpenDims::are_assumed) dims.assume(*model, RunLimits());  // it is not going to run
  Model fixed = *model;
  dims.apply(fixed);
  return {.workload = lower(fixed), .model = std::move(model), .dims = std::move(dims)};
}

/// The machine that a plan in a file was made for.
Machine machine_of_plan(const std::string& plan_file) {
  const std::string name = machine_name_in_plan(plan_file);
  try {
    return load_machine(name);
  } catch (const InputError&) {
    fail_usage("{}: was made for machine '{}', which is not built in; name its description with --machine", plan_file,
               name);
  }
}

}  // namespace

PlanningSource open_planning_source(const std::string& spec, const InputSizes& dims, OpenDims open_dims) {
  const Timer timer;
  std::optional<PlanningSource> source = open_other(spec);
  if (source && !dims.empty()) fail_usage("only models have dimensions to fix, '{}' is none", spec);
  if (!source) source = open_model(spec, dims, open_dims);
  source->name = spec;
  source->reading_seconds = timer.seconds();
  return *std::move(source);
}

PlanningSource open_operations(const std::string& spec, const InputSizes& dims, OpenDims open_dims) {
  PlanningSource source = open_planning_source(spec, dims, open_dims);
  if (source.sharding || source.memory)
    fail("{}: is in the {} format, which is no graph of operations", spec,
         name_of(source.sharding ? ForeignFormat::iopddl : ForeignFormat::minimalloc));
  return source;
}

Machine machine_for(const PlanningSource& source, const std::string& named, const std::string& plan_file) {
  if (!named.empty()) return load_machine(named);
  if (source.machine) return *source.machine;
  if (!plan_file.empty()) return machine_of_plan(plan_file);
  const bool on_processors = source.workload.device_kinds == std::vector<std::string>{"processor"};
  return load_machine(on_processors ? "processors:2" : "p100-4");
}

}  // namespace hone

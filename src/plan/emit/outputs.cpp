#include "plan/emit/outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/output_file.h"
#include "formats/onnx/write.h"
#include "plan/emit/annotate.h"
#include "plan/emit/hlo_schedule.h"
#include "plan/emit/split.h"
#include "plan/problem/plan_file.h"
#include "run/runtime/runtime.h"

namespace hone {
namespace {

using Json = nlohmann::ordered_json;
using Path = std::filesystem::path;

/// What all outputs of one plan are made from.
struct Material {
  const PlanningSource& source;
  const Machine& machine;
  Execution execution;

  Placement placement(const Model& model) const { return place_nodes(model.graph, execution); }
};

std::string counted(std::size_t count, std::string_view thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

void write_text(const Path& path, std::string_view text) {
  OutputFile file(path);
  file.write(text);
  file.commit();
}

void write_json(const Path& path, const Json& json) {
  write_text(path, json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

/// An output that is a folder may be one that exists.
void make_folder(const Path& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) fail_usage("{}: cannot be made a folder: {}", path.string(), error.message());
}

/// Nothing to say when the version stays.
std::string raised(const Model& before, const Model& after) {
  if (before.ir_version == after.ir_version) return {};
  return fmt::format("; IR version raised to {}", *after.ir_version);
}

std::string write_annotated(const Material& material, const Path& path) {
  const Model& model = *material.source.model;
  const Model annotated = annotate(model, material.machine, material.placement(model));
  onnx::write(annotated, path);
  return fmt::format("{} annotated with their devices{}", counted(annotated.graph.node_count(), "node"),
                     raised(model, annotated));
}

/// What of a plan a runtime makes use of.
std::string obeyed(const PlanForm& form) {
  constexpr std::string_view kWords[] = {"groups", "devices", "order", "transfers", "offsets"};
  std::vector<std::string_view> words;
  for (const PlanDecision decision : form.obeys()) words.push_back(kWords[static_cast<std::size_t>(decision)]);
  return fmt::format("; it obeys {}", fmt::join(words, " and "));
}

std::string write_for_runtime(const Runtime& runtime, const Material& material, const Path& folder) {
  const Model& model = *material.source.model;
  make_folder(folder);
  const PlanForm& form = *runtime.plan_form();
  return form.write(model, material.machine, material.placement(model), folder) + obeyed(form);
}

/// The model as dynamic as it is, with types for all its values; where those are only known for the dims that the plan
/// was made for, these.
Model typed_model(const Material& material) {
  Model model = *material.source.model, fixed = model;
  material.source.dims.apply(fixed);
  infer_types(model);
  for (std::size_t i = 0; i < model.graph.value_count(); ++i)
    if (const ValueId id(i); model.graph.value(id).type.kind == Type::Kind::unknown)
      model.graph.set_type(id, fixed.graph.value(id).type);
  return model;
}

std::string write_split(const Material& material, const Path& folder) {
  const Model model = typed_model(material);
  const std::vector<Piece> pieces = split(model, material.placement(model));
  const std::vector<std::string> files = piece_files(pieces, material.machine);
  make_folder(folder);
  for (std::size_t i = 0; i < pieces.size(); ++i) onnx::write(pieces[i].model, folder / files[i]);
  write_json(folder / "manifest.json", manifest(model, material.machine, pieces));
  return fmt::format("{} and manifest.json", counted(pieces.size(), "piece"));
}

std::string write_hlo(const Material& material, const Path& path) {
  write_text(path, scheduled_text(*material.source.module, material.execution));
  return fmt::format("the module with {} in order", counted(material.execution.steps.size(), "instruction"));
}

/// A form in which a plan can be written, and what it is made from.
struct Form {
  enum class From { model, hlo_module };

  std::string name;
  From from;
  std::function<std::string(const Material&, const Path&)> write;  // says what was written
};

/// Those of hone and of every runtime that takes plans.
const std::vector<Form>& all_forms() {
  static const std::vector<Form> forms = [] {
    std::vector<Form> list{{"annotated", Form::From::model, write_annotated}};
    for (const RuntimeKind* kind : RuntimeKind::all()) {
      const std::shared_ptr<const Runtime> runtime = kind->make("");
      if (runtime->plan_form() == nullptr) continue;
      const auto write = [runtime](const Material& material, const Path& path) {
        return write_for_runtime(*runtime, material, path);
      };
      list.push_back({std::string(runtime->plan_form()->name()), Form::From::model, write});
    }
    list.push_back({"split", Form::From::model, write_split});
    list.push_back({"hlo", Form::From::hlo_module, write_hlo});
    return list;
  }();
  return forms;
}

std::string form_names() {
  std::string names;
  for (const Form& form : all_forms())
    names += (names.empty() ? "" : &form == &all_forms().back() ? " and " : ", ") + form.name;
  return names;
}

/// One `KIND=PATH`.
struct Wanted {
  const Form& form;
  std::string path;
};

Wanted parse(const std::string& text) {
  const std::size_t equals = text.find('=');
  const auto form = std::ranges::find(all_forms(), text.substr(0, equals), &Form::name);
  if (form == all_forms().end()) fail_usage("--emit {}: there is no such output; there are {}", text, form_names());
  if (equals == std::string::npos || equals + 1 == text.size())
    fail_usage("--emit {}: where to is missing, write {}=PATH", text, form->name);
  return {.form = *form, .path = text.substr(equals + 1)};
}

}  // namespace

void check_outputs(std::span<const std::string> wanted, const PlanningSource& source) {
  for (const std::string& text : wanted) {
    const Form& form = parse(text).form;
    if (form.from == Form::From::model && !source.model)
      fail_usage("--emit {}: '{}' is not a model", text, source.name);
    if (form.from == Form::From::hlo_module && !source.module)
      fail_usage("--emit {}: '{}' is not an HLO module", text, source.name);
  }
}

std::vector<WrittenOutput> write_outputs(std::span<const std::string> wanted, const PlanningSource& source,
                                         const Problem& problem, const Plan& plan) {
  std::vector<WrittenOutput> outputs;
  if (wanted.empty()) return outputs;
  const Material material{
      .source = source, .machine = problem.machine, .execution = carry_out(problem.workload, problem.machine, plan)};
  for (const std::string& text : wanted) {
    const Wanted one = parse(text);
    outputs.push_back(
        {.kind = std::string(one.form.name), .path = one.path, .contents = one.form.write(material, one.path)});
  }
  return outputs;
}

std::vector<WrittenOutput> write_saved_plan(std::span<const std::string> wanted, PlanningSource source,
                                            const std::string& machine, const std::string& plan_file) {
  check_outputs(wanted, source);
  Problem problem{.machine = machine_for(source, machine, plan_file)};
  problem.workload = std::move(source.workload);
  return write_outputs(wanted, source, problem, load_plan(plan_file, problem.workload, problem.machine));
}

}  // namespace hone

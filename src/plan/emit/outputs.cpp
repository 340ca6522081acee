#include "plan/emit/outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/output_file.h"
#include "base/standard_output.h"
#include "formats/onnx/write.h"
#include "formats/source/model_file.h"
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
  const Plan& plan;
  Execution execution;

  Placement placement(const Model& model) const { return place_nodes(model.graph, execution); }
  /// Groups of several operations.
  std::size_t fusion_count() const {
    std::vector<std::size_t> sizes(plan.group_count());
    for (std::size_t i = 0; i < execution.steps.size(); ++i) ++sizes[plan.group(OperationId(i)).index()];
    for (const Plan::Copy& copy : plan.copies) ++sizes[copy.group.index()];
    return static_cast<std::size_t>(std::ranges::count_if(sizes, [](std::size_t size) { return size > 1; }));
  }
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

constexpr const char* kManifest = "manifest.json";

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
  std::filesystem::create_directories(folder);
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
  std::filesystem::create_directories(folder);
  for (std::size_t i = 0; i < pieces.size(); ++i) onnx::write(pieces[i].model, folder / files[i]);
  write_json(folder / kManifest, manifest(model, material.machine, pieces));
  return fmt::format("{} and {}", counted(pieces.size(), "piece"), kManifest);
}

std::string write_hlo(const Material& material, const Path& path) {
  write_text(path, scheduled_text(*material.source.module, material.plan, material.execution));
  const std::string contents =
      fmt::format("the module with {} in order", counted(material.execution.steps.size(), "instruction"));
  const std::size_t fusions = material.fusion_count();
  return fusions == 0 ? contents : fmt::format("{}, some of them in {}", contents, counted(fusions, "fusion"));
}

/// A form in which a plan can be written, and what it is made from.
struct Form {
  enum class From { model, hlo_module };

  std::string name;
  From from;
  std::function<std::string(const Material&, const Path&)> write;  // says what was written
  std::vector<std::string_view> extensions;                        // of a file
  std::string_view index_file = {};                                // of a folder

  OutputTarget target(const std::string& path, Overwrite overwrite) const {
    if (extensions.empty()) return OutputTarget::folder(path, overwrite);
    return OutputTarget::file(path, {.what = "this", .extensions = extensions}, overwrite);
  }
};

/// Those of hone and of every runtime that takes plans.
const std::vector<Form>& all_forms() {
  static const std::vector<Form> forms = [] {
    std::vector<Form> list{{"annotated", Form::From::model, write_annotated, {".onnx"}}};
    for (const RuntimeKind* kind : RuntimeKind::all()) {
      const std::shared_ptr<const Runtime> runtime = kind->make("");
      if (runtime->plan_form() == nullptr) continue;
      const auto write = [runtime](const Material& material, const Path& path) {
        return write_for_runtime(*runtime, material, path);
      };
      const PlanForm& form = *runtime->plan_form();
      list.push_back({std::string(form.name()), Form::From::model, write, {}, form.index_file()});
    }
    list.push_back({"split", Form::From::model, write_split, {}, kManifest});
    list.push_back({"hlo", Form::From::hlo_module, write_hlo, {".hlo", ".txt"}});
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
  const std::string path = text.substr(equals + 1);
  if (means_standard_output(path)) fail_usage("--emit {}: is not written to standard output; name a file", text);
  return {.form = *form, .path = path};
}

/// A folder takes many files, of names that only the plan says: it has to be new, empty or one that hone wrote.
void keep_folder(const Wanted& wanted, Overwrite overwrite) {
  std::error_code ignored;
  const Path folder(wanted.path);
  if (overwrite == Overwrite::any || !std::filesystem::exists(folder, ignored)) return;
  if (std::filesystem::is_empty(folder, ignored) || std::filesystem::exists(folder / wanted.form.index_file)) return;
  fail_usage("{}: holds files that hone did not write; name a new folder for '{}', or give --force", wanted.path,
             wanted.form.name);
}

void check_target(const Wanted& wanted, const PlanningSource& source, Overwrite overwrite) {
  const OutputTarget target = wanted.form.target(wanted.path, overwrite);
  if (wanted.form.extensions.empty()) return keep_folder(wanted, overwrite);
  const Path input(source.name);
  target.keep({&input, 1});
  if (source.model) keep_what_is_read(target, *source.model);
}

}  // namespace

void check_outputs(const OutputRequest& request, const PlanningSource& source) {
  for (const std::string& text : request.wanted) {
    const Wanted wanted = parse(text);
    if (wanted.form.from == Form::From::model && !source.model)
      fail_usage("--emit {}: '{}' is not a model", text, source.name);
    if (wanted.form.from == Form::From::hlo_module && !source.module)
      fail_usage("--emit {}: '{}' is not an HLO module", text, source.name);
    check_target(wanted, source, request.overwrite);
  }
}

std::vector<WrittenOutput> write_outputs(const OutputRequest& request, const PlanningSource& source,
                                         const Problem& problem, const Plan& plan) {
  std::vector<WrittenOutput> outputs;
  if (request.wanted.empty()) return outputs;
  const Material material{.source = source,
                          .machine = problem.machine,
                          .plan = plan,
                          .execution = carry_out(problem.workload, problem.machine, plan)};
  for (const std::string& text : request.wanted) {
    const Wanted one = parse(text);
    std::string contents;
    SavedOutput saved =
        save_or_elsewhere(one.path, [&](const Path& path) { contents = one.form.write(material, path); });
    outputs.push_back({.kind = one.form.name, .saved = std::move(saved), .contents = std::move(contents)});
  }
  return outputs;
}

std::vector<WrittenOutput> write_saved_plan(const OutputRequest& request, PlanningSource source,
                                            const std::string& machine, const std::string& plan_file) {
  check_outputs(request, source);
  Problem problem{.machine = machine_for(source, machine, plan_file)};
  problem.workload = std::move(source.workload);
  return write_outputs(request, source, problem, load_plan(plan_file, problem.workload, problem.machine));
}

}  // namespace hone

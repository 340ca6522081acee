#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "clean/clean.h"
#include "cli/model_source.h"
#include "cli/verb.h"
#include "report/json_line.h"
#include "report/table.h"
#include "report/verification.h"
#include "run/equivalence.h"
#include "zoo/registry.h"

namespace hone {
namespace {

struct Given {
  std::string model, output;
  DimOptions dims;
  std::uint64_t seed = 0;
  bool json = false, dry_run = false;
};

/// `resnet18.onnx` becomes `resnet18.hone.onnx`; a zoo model goes to the current folder.
std::string default_output(const std::string& model) {
  if (is_zoo_spec(model)) return model.substr(4, model.find(':', 4) - 4) + ".hone.onnx";
  std::filesystem::path path(model);
  return path.replace_extension(".hone.onnx").string();
}

nlohmann::ordered_json result_json(const Given& given, const CleanReport& cleaned, const Equivalence& verified) {
  nlohmann::ordered_json changes = nlohmann::ordered_json::object();
  for (const auto& [pass, count] : cleaned.changes) changes[std::string(pass)] = count;
  return {{"schema", "hone.result/1"}, {"model", given.model}, {"output", given.dry_run ? "" : given.output}, {"seed", given.seed},
          {"nodes_before", cleaned.nodes_before}, {"nodes_after", cleaned.nodes_after}, {"changes", changes},
          {"verify", verification_json(verified)}};
}

void print_result(const Given& given, const CleanReport& cleaned, const Equivalence& verified) {
  Table table({"pass", "changes"});
  for (const auto& [pass, count] : cleaned.changes) table.add({std::string(pass), std::to_string(count)});
  fmt::print("{}\nnodes {} -> {}\n\n{}", table.text(), cleaned.nodes_before, cleaned.nodes_after, verification_text(verified));
  if (verified.equal && !given.dry_run) fmt::print("wrote {}\n", given.output);
}

ExitCode optimize(Given& given) {
  if (given.output.empty()) given.output = default_output(given.model);
  Model original = load_model(given.model);
  Model optimized = original;
  const CleanReport cleaned = clean(optimized);
  // Dims are fixed for the check only: a dynamic model stays dynamic.
  Model candidate = optimized;
  given.dims.apply(original);
  given.dims.apply(candidate);
  const Equivalence verified = check_equivalence(original, candidate, {.seed = given.seed, .random_inputs = 1});
  if (verified.equal && !given.dry_run) save_model(optimized, given.output);
  if (given.json) fmt::print("{}", json_line(result_json(given, cleaned, verified)));
  else print_result(given, cleaned, verified);
  return verified.equal ? ExitCode::done : ExitCode::verification_failed;
}

std::function<ExitCode()> setup(CLI::App& command) {
  auto given = std::make_shared<Given>();
  command.add_option("model", given->model, "Model file or zoo:NAME")->required();
  command.add_option("-o,--output", given->output, "Where to write (default: MODEL.hone.onnx)");
  given->dims.add_to(command);
  command.add_option("--seed", given->seed, "Seed of everything random")->capture_default_str();
  command.add_flag("--dry-run", given->dry_run, "Do everything but write");
  command.add_flag("--json", given->json, "One JSON object instead of tables");
  return [given] { return optimize(*given); };
}

const Verb optimize_verb("optimize", "Clean a model, prove that it computes the same, and write it", setup);

}  // namespace
}  // namespace hone

#include <fmt/format.h>

#include <filesystem>

#include "base/retry.h"
#include "base/timer.h"
#include "cli/examples.h"
#include "cli/model_source.h"
#include "cli/verb.h"
#include "report/table.h"
#include "run/reference/reference.h"
#include "run/verify/inputs.h"
#include "run/verify/memory_need.h"
#include "run/verify/npy.h"

namespace hone {
namespace {

std::string text_of_datum(const Datum& datum) {
  if (datum.empty()) return "empty";
  if (!datum.is_tensor()) return fmt::format("sequence of {}", datum.sequence().items.size());
  const Tensor& tensor = datum.tensor();
  return fmt::format("{}[{}]", name_of(tensor.type()), fmt::join(tensor.dims().begin(), tensor.dims().end(), ","));
}

/// Smallest, largest and mean element, and the first few.
std::vector<std::string> statistics(const Datum& datum) {
  const bool numbers = datum.is_tensor() && datum.tensor().count() > 0 &&
                       datum.tensor().type() != ElementType::string && !is_complex(datum.tensor().type());
  if (!numbers) return {"", "", "", ""};
  const Tensor& tensor = datum.tensor();
  double low = tensor.number_at(0), high = low, sum = 0;
  std::string first;
  for (std::size_t i = 0; i < tensor.count(); ++i) {
    const double value = tensor.number_at(i);
    low = std::min(low, value);
    high = std::max(high, value);
    sum += value;
    if (i < 4) first += fmt::format("{}{:.5g}", i > 0 ? " " : "", value);
  }
  return {fmt::format("{:.6g}", low), fmt::format("{:.6g}", high),
          fmt::format("{:.6g}", sum / static_cast<double>(tensor.count())), first};
}

std::string file_name(std::string name) {
  for (char& c : name)
    if (c == '/' || c == ':') c = '_';
  return name + ".npy";
}

struct RunArguments {
  std::string model, output;
  std::vector<std::string> inputs;
  DimOptions dims;
  std::uint64_t seed = 0;
};

/// What a run gave, and how long it took.
struct FinishedRun {
  std::vector<Datum> outputs;
  double seconds;
};

FinishedRun run_model(Model model, const RunArguments& given) {
  given.dims.apply(model);
  require_memory(model);
  const std::vector<Datum> inputs = given_inputs(model, given.inputs, given.seed);
  const Timer timer;
  std::vector<Datum> outputs = ReferenceInterpreter(model, given.seed).run(inputs);
  return {std::move(outputs), timer.seconds()};
}

ExitCode run_given(RunArguments& given) {
  const Model model = load_model(given.model);
  given.dims.settle(model, given.inputs);
  const auto [outputs, seconds] =
      until_accepted([&] { return run_model(model, given); },
                     [&](std::string_view refusal) { return given.dims.settle_otherwise(model, refusal); });
  Table table({"output", "type", "min", "max", "mean", "first elements"});
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::string& name = model.graph.value(model.graph.outputs()[i]).name;
    std::vector<std::string> row{name, text_of_datum(outputs[i])};
    for (std::string& cell : statistics(outputs[i])) row.push_back(std::move(cell));
    table.add(row);
    if (given.output.empty() || !outputs[i].is_tensor()) continue;
    std::filesystem::create_directories(given.output);
    write_npy(outputs[i].tensor(), std::filesystem::path(given.output) / file_name(name));
  }
  fmt::print("{}", table.text());
  fmt::print(stderr, "reference interpreter, {:.3f} s\n", seconds);
  return ExitCode::done;
}

std::function<ExitCode()> setup_run(CLI::App& command) {
  auto given = std::make_shared<RunArguments>();
  command.add_option("model", given->model, "Model file or zoo:NAME")->required();
  given->dims.add_to(command);
  command.add_option("-i,--input", given->inputs,
                     "NAME=FILE.npy, NAME=FILE.pb or a test_data_set folder; the rest is drawn at random");
  command.add_option("-o,--output", given->output, "Folder to write the outputs to, one .npy each");
  command.add_option("--seed", given->seed, "Seed of random inputs")->capture_default_str();
  add_examples(command, {{"hone run model.onnx", "on inputs drawn at random"},
                         {"hone run model.onnx -i x=image.npy -o results", "on a file; outputs as .npy"}});
  return [given] { return run_given(*given); };
}

const Verb run("run", Topic::models, "Run a model on the reference interpreter", setup_run);

}  // namespace
}  // namespace hone

#include <fmt/format.h>

#include <filesystem>

#include "base/child_process.h"
#include "base/retry.h"
#include "base/timer.h"
#include "base/verbosity.h"
#include "cli/examples.h"
#include "cli/model_source.h"
#include "cli/output_arguments.h"
#include "cli/runtime_arguments.h"
#include "cli/verb.h"
#include "report/json_line.h"
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
  std::string model;
  OutputArguments output;
  std::vector<std::string> inputs;
  DimOptions dims;
  RuntimeArguments runtime;
  std::string plan;
  std::size_t threads = 1;
  std::uint64_t seed = 0;
  bool json = false;
};

/// An output and the name of its value.
struct NamedDatum {
  std::string name;
  Datum datum;
};

/// The files of inputs, each `NAME=FILE` or a name alone.
std::vector<std::filesystem::path> files_of(const RunArguments& given) {
  std::vector<std::filesystem::path> files{given.model};
  for (const std::string& input : given.inputs) files.emplace_back(input.substr(input.find('=') + 1));
  return files;
}

void write_outputs(const std::vector<NamedDatum>& outputs, const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  for (const NamedDatum& output : outputs)
    if (output.datum.is_tensor()) write_npy(output.datum.tensor(), folder / file_name(output.name));
}

void print_outputs(const std::vector<NamedDatum>& outputs) {
  Table table({"output", "type", "min", "max", "mean", "first elements"});
  for (const NamedDatum& output : outputs) {
    std::vector<std::string> row{output.name, text_of_datum(output.datum)};
    for (std::string& cell : statistics(output.datum)) row.push_back(std::move(cell));
    table.add(row);
  }
  fmt::print("{}", table.text());
}

void print_outputs_json(const std::vector<NamedDatum>& outputs, const SavedOutput& saved, double seconds) {
  nlohmann::ordered_json object{{"outputs", nlohmann::ordered_json::array()}, {"seconds", seconds}};
  for (const NamedDatum& output : outputs) {
    const std::vector<std::string> cells = statistics(output.datum);
    object["outputs"].push_back({{"name", output.name},
                                 {"type", text_of_datum(output.datum)},
                                 {"min", cells[0]},
                                 {"max", cells[1]},
                                 {"mean", cells[2]},
                                 {"first", cells[3]}});
  }
  enter(saved, object);
  fmt::print("{}", json_line(object));
}

/// What a run gave, and how long it took.
struct FinishedRun {
  std::vector<Datum> outputs;
  double seconds;
};

/// On a runtime that the user named; time is that of one run.
FinishedRun run_on(const Runtime& runtime, const Model& model, const RunArguments& given) {
  const std::vector<Datum> inputs = given_inputs(model, given.inputs, given.seed);
  const TemporaryFolder folder;
  const bool reads_files = runtime.takes() == ModelForm::file;
  const std::filesystem::path file =
      reads_files ? runtime_file(given.model, model, folder.path() / "model.onnx") : std::filesystem::path();
  const RuntimeOptions options = given.plan.empty() ? RuntimeOptions() : runtime.by_plan(model, given.plan, {});
  const std::unique_ptr<RuntimeHost> host = runtime.start(given.threads);
  const std::unique_ptr<PreparedModel> prepared = host->prepare({model, file}, options);
  prepared->set_inputs(inputs);
  for (const std::string& told : prepared->notes()) note("{}", told);
  const Timer timer;
  std::vector<Datum> outputs = prepared->outputs();
  return {std::move(outputs), timer.seconds()};
}

FinishedRun run_model(Model model, const RunArguments& given) {
  given.dims.apply(model);
  if (!given.runtime.spec().empty()) return run_on(*given.runtime.make(), model, given);
  if (!given.plan.empty()) fail_usage("the reference interpreter obeys no plan; `--runtime native` does");
  require_memory(model);
  const std::vector<Datum> inputs = given_inputs(model, given.inputs, given.seed);
  const Timer timer;
  std::vector<Datum> outputs = ReferenceInterpreter(model, given.seed).run(inputs);
  return {std::move(outputs), timer.seconds()};
}

ExitCode run_given(RunArguments& given) {
  const OutputTarget target = given.output.target();
  const Model model = load_model(given.model);
  const std::vector<std::filesystem::path> read = files_of(given);
  for (const ValueId id : model.graph.outputs())
    if (target.wanted()) target.keep_inside(file_name(model.graph.value(id).name), read);
  given.dims.settle(model, given.inputs);
  FinishedRun finished =
      until_accepted([&] { return run_model(model, given); },
                     [&](std::string_view refusal) { return given.dims.settle_otherwise(model, refusal); });
  std::vector<NamedDatum> outputs;
  for (std::size_t i = 0; i < finished.outputs.size(); ++i)
    outputs.push_back({model.graph.value(model.graph.outputs()[i]).name, std::move(finished.outputs[i])});
  const SavedOutput saved = target.save([&](const std::filesystem::path& folder) { write_outputs(outputs, folder); });
  if (given.json) print_outputs_json(outputs, saved, finished.seconds);
  else print_outputs(outputs);
  const bool named = !given.runtime.spec().empty();
  note("{}, {:.3f} s", named ? given.runtime.make()->title() : "reference interpreter", finished.seconds);
  return told(saved);
}

std::function<ExitCode()> setup_run(CLI::App& command) {
  auto given = std::make_shared<RunArguments>();
  command.add_option("model", given->model, "Model file or zoo:NAME")->required();
  given->dims.add_to(command);
  given->runtime.add_to(command, "the reference interpreter");
  command.add_option("--plan", given->plan, "Obey this plan file, on a runtime that does");
  command.add_option("--threads", given->threads, "Threads of the runtime; lanes of a plan have one each")
      ->capture_default_str()
      ->check(CLI::Range(1, 1024));
  command.add_option("-i,--input", given->inputs,
                     "NAME=FILE.npy, NAME=FILE.pb or a test_data_set folder; the rest is drawn at random");
  given->output.add_folder_to(command, "Folder to write the outputs to, one .npy each");
  command.add_option("--seed", given->seed, "Seed of random inputs")->capture_default_str();
  command.add_flag("--json", given->json, "One JSON object instead of a table");
  add_examples(command, {{"hone run model.onnx", "on inputs drawn at random"},
                         {"hone run model.onnx -i x=image.npy -o results", "on a file; outputs as .npy"},
                         {"hone run model.onnx --runtime native", "on hone's own executor"},
                         {"hone run m.onnx --runtime native --plan plan.json", "by a plan of hone plan"}});
  return [given] { return run_given(*given); };
}

const Verb run("run", Topic::models, "Run a model once and show what comes out", setup_run);

}  // namespace
}  // namespace hone

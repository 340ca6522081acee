#include <fmt/format.h>

#include <filesystem>

#include "base/child_process.h"
#include "base/verbosity.h"
#include "base/version.h"
#include "cli/examples.h"
#include "cli/model_source.h"
#include "cli/output_arguments.h"
#include "cli/runtime_arguments.h"
#include "cli/verb.h"
#include "report/json_line.h"
#include "report/kernel_trace.h"
#include "report/latency.h"
#include "run/measure/kernel_recording.h"
#include "run/measure/measurement.h"
#include "store/records/measurement_record.h"

namespace hone {
namespace {

struct MeasureArguments {
  std::vector<std::string> words, plans;
  DimOptions dims;
  RuntimeArguments runtime;
  MeasureOptions options;
  OutputArguments trace;
  std::string database;
  bool profile = false, json = false;
};

/// Plain words are models, and shapes such as x:1x3x224x224.
bool is_shape(const std::string& word) {
  const std::size_t colon = word.rfind(':');
  return colon != std::string::npos && colon + 1 < word.size() && !word.starts_with("zoo:") &&
         word.find_first_not_of("0123456789x,", colon + 1) == std::string::npos && !std::filesystem::exists(word);
}

/// The models named, ready for a runtime, and the first by the plans given: what has no file of its own gets one in
/// `folder`.
std::vector<Candidate> load_candidates(MeasureArguments& given, const std::filesystem::path& folder) {
  std::vector<std::string> models;
  for (const std::string& word : given.words) {
    if (is_shape(word)) given.dims.add_shape(word);
    else models.push_back(word);
  }
  if (models.empty()) fail_usage("no model is named");
  std::vector<Candidate> candidates;
  for (const std::string& spec : models) {
    Candidate candidate{.name = spec, .model = load_model(spec), .file = {}};
    candidate.file = runtime_file(spec, candidate.model, folder / fmt::format("{}.onnx", candidates.size()));
    if (candidate.file == spec) candidate.name = candidate.file.filename().string();
    if (candidates.empty()) given.dims.settle(candidate.model, given.options.input_files);
    given.dims.apply(candidate.model);
    candidates.push_back(std::move(candidate));
  }
  for (const std::string& plan : given.plans) {
    Candidate candidate = candidates.front();
    candidate.name = fmt::format("by {}", std::filesystem::path(plan).filename().string());
    candidate.options = given.options.runtime->by_plan(candidate.model, plan, {});
    candidates.push_back(std::move(candidate));
  }
  return candidates;
}

std::vector<NamedProfile> profiles_of(const std::vector<Candidate>& candidates, const Measurement& measurement,
                                      const MeasureOptions& options) {
  constexpr std::size_t kRuns = 10;
  std::vector<NamedProfile> profiles;
  for (std::size_t i = 0; i < candidates.size(); ++i)
    if (measurement.models[i].failure.empty())
      profiles.push_back({candidates[i].name, record_kernels(candidates[i], options, kRuns)});
  return profiles;
}

void print_profiles(const Measurement& measurement, const std::vector<NamedProfile>& profiles) {
  fmt::print("{}, {} thread{}, milliseconds\n{}", measurement.runtime, measurement.threads,
             measurement.threads == 1 ? "" : "s", latency_table(measurement));
  for (const NamedProfile& each : profiles) fmt::print("\n{}\n{}", each.name, kernel_table(each.profile));
  for (const std::string& warning : measurement.warnings()) note("warning: {}", warning);
}

void print_measurement_json(const Measurement& measurement, const std::vector<NamedProfile>& profiles) {
  nlohmann::ordered_json object{{"schema", "hone.measurement/1"},
                                {"tool", {{"version", version()}, {"commit", commit()}}}};
  object.update(latency_json(measurement));
  for (const NamedProfile& each : profiles) object["profiles"][each.name] = kernel_json(each.profile);
  fmt::print("{}", json_line(object));
}

ExitCode measure_given(MeasureArguments& given) {
  const TemporaryFolder folder;
  given.options.runtime = given.runtime.make();
  const OutputTarget trace = given.trace.target(given.words);
  std::optional<Store> store;  // opened first: that it cannot be used is told before measuring, not after
  if (!given.database.empty()) store.emplace(given.database);
  const std::vector<Candidate> candidates = load_candidates(given, folder.path());
  const Measurement measurement = measure_models(candidates, given.options);
  if (store) record_measurement(*store, candidates, measurement);
  const bool wants_profile = given.profile || trace.wanted();
  const std::vector<NamedProfile> profiles =
      wants_profile ? profiles_of(candidates, measurement, given.options) : std::vector<NamedProfile>{};
  const std::vector<NamedProfile> shown = given.profile ? profiles : std::vector<NamedProfile>{};
  given.json ? print_measurement_json(measurement, shown) : print_profiles(measurement, shown);
  const SavedOutput saved = trace.save([&](const std::filesystem::path& path) { write_kernel_trace(path, profiles); });
  const bool any = std::ranges::any_of(measurement.models, [](const Measured& model) { return model.failure.empty(); });
  return told(saved, any ? ExitCode::done : ExitCode::bad_model);
}

std::function<ExitCode()> setup_measure(CLI::App& command) {
  auto given = std::make_shared<MeasureArguments>();
  MeasureOptions& options = given->options;
  command
      .add_option("models", given->words,
                  "Model files or zoo:NAME, the first is the baseline; input shapes x:1x3x224x224")
      ->required();
  given->dims.add_dims_to(command);
  given->runtime.add_to(command, std::string(RuntimeKind::usual().name()));
  command.add_option("--plan", given->plans, "Time the first model by this plan file too, on a runtime that obeys it")
      ->allow_extra_args(false);
  command.add_option("--threads", options.threads, "Threads that share a node")
      ->capture_default_str()
      ->check(CLI::Range(1, 1024));
  command.add_option("--time", options.interleave.seconds, "Seconds of timed runs of each model")
      ->capture_default_str();
  command.add_option("--warmup", options.interleave.warmup_seconds, "Seconds of runs before")->capture_default_str();
  command.add_option("--runs", options.interleave.least_rounds, "Least number of runs")->capture_default_str();
  command.add_option("-i,--input", options.input_files, "NAME=FILE.npy, NAME=FILE.pb or a test_data_set folder");
  command.add_option("--seed", options.interleave.seed, "Seed of random inputs and of the order")
      ->capture_default_str();
  command.add_flag("!--no-pin", options.pinned, "Let the system move the process between processors");
  command.add_flag("--profile", given->profile, "Show where the time goes, by operator and node");
  given->trace.add_to(command, json_form(), "Write the kernels as a trace for Perfetto or Chrome", "--trace");
  command.add_option("--db", given->database, "Record the measurement: sqlite:///FILE, postgresql://... or default");
  command.add_flag("--json", given->json, "One JSON object instead of tables");
  add_examples(command, {{"hone measure model.onnx fast.onnx", "the second against the first"},
                         {"hone measure zoo:resnet18 --threads 2 --time 5", "longer, on two threads"},
                         {"hone measure m.onnx --runtime native --plan p.json", "by a plan, against without"},
                         {"hone measure model.onnx --trace run.json", "where the time goes"}});
  return [given] { return measure_given(*given); };
}

const Verb measure("measure", Topic::models, "Time models on a runtime, in turn, with intervals of the speed-up",
                   setup_measure);

}  // namespace
}  // namespace hone

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "base/interrupt.h"
#include "base/output_file.h"
#include "base/progress.h"
#include "base/standard_output.h"
#include "base/timer.h"
#include "base/verbosity.h"
#include "cli/examples.h"
#include "cli/model_source.h"
#include "cli/output_arguments.h"
#include "cli/runtime_arguments.h"
#include "cli/verb.h"
#include "deliver/delivery.h"
#include "deliver/package.h"
#include "plan/problem/plan_file.h"
#include "report/delivery.h"
#include "report/json_line.h"
#include "rewrite/rules/rule.h"
#include "run/profile/model_profile.h"
#include "store/records/circumstances.h"
#include "store/records/price_lesson_records.h"
#include "store/records/profile_records.h"
#include "zoo/registry.h"

namespace hone {
namespace {

constexpr const char* kNoRuntime = "none";  // nothing is to be measured

struct OptimizeArguments {
  std::string model, database;
  OutputArguments output;
  DimOptions dims;
  DeliveryRequest request;
  RuntimeArguments runtime;  // none named: the usual one where it is installed
  int effort = 2;
  double seconds = 0;
  std::optional<double> tolerance;
  bool json = false, dry_run = false, fail_if_no_gain = false;
  Timer timer;
};

/// `resnet18.onnx` becomes `resnet18.hone.onnx`; a zoo model goes to the current folder.
std::string default_output(const std::string& model) {
  if (is_zoo_spec(model)) return model.substr(4, model.find(':', 4) - 4) + ".hone.onnx";
  std::filesystem::path path(model);
  return path.replace_extension(".hone.onnx").string();
}

/// The runtime spoken of: named, or the usual one, or what stands in for that. Null where nothing is to be measured.
std::shared_ptr<const Runtime> wanted_runtime(const OptimizeArguments& given) {
  if (given.runtime.spec() == kNoRuntime) return nullptr;
  return given.runtime.given() ? given.runtime.make() : measuring_runtime();
}

/// What measures, as far as the effort asks for it. A runtime the user names has to be there.
std::shared_ptr<const Runtime> runtime_of(const OptimizeArguments& given) {
  std::shared_ptr<const Runtime> runtime = wanted_runtime(given);
  if (!runtime) return nullptr;
  if (!given.runtime.spec().empty()) {
    runtime->label();  // says what is missing
    return runtime;
  }
  const bool measures = given.request.effort != DeliveryEffort::quick;
  return measures && runtime->available() ? runtime : nullptr;
}

/// What the user might like to know where the usual runtime is not there: what measures instead, and how to have it.
std::string absence_of_usual(const OptimizeArguments& given) {
  const std::shared_ptr<const Runtime> usual = usual_runtime();
  const bool expected = given.runtime.spec().empty() && given.request.effort != DeliveryEffort::quick;
  if (!expected || (given.request.runtime && given.request.runtime->name() == usual->name())) return {};
  const std::string what =
      given.request.runtime
          ? fmt::format("measured on {}, as {} is not installed", given.request.runtime->title(), usual->title())
          : fmt::format("its speed is not known: {} is not installed", usual->title());
  return fmt::format("{}; `{}` brings it\n", what, usual->install_command());
}

/// Timings of operators come from the store, and new ones go there at once, so that a run that is killed loses none. So
/// does what models that were optimised before taught, and what this one does.
void use_store(const std::shared_ptr<Store>& store, const OptimizeArguments& given, const Model& original,
               DeliveryRequest& request) {
  const std::shared_ptr<const Runtime> wanted = wanted_runtime(given);
  const std::shared_ptr<const Runtime> runtime = wanted ? wanted : usual_runtime();
  const ProfileContext context = context_of({.runtime = runtime, .threads = request.threads});
  const GraphRecord graph = graph_record(given.model, original);
  request.timings = stored_profiles(*store, context);
  request.record_timings = [store, graph](const ProfileTable& timings) { record_timings(*store, graph, timings); };
  request.price_lessons = stored_price_lessons(*store, context, graph.id);  // its own it learns anew
  request.record_price_lesson = [store, graph, context](const PriceLesson& lesson) {
    record_price_lesson(*store, graph, context, lesson);
  };
}

/// Where to write, tried before anything else is done.
OutputTarget target_of(const OptimizeArguments& given) {
  return given.dry_run ? OutputTarget() : given.output.target();
}

/// Nothing can be replaced that hone did not write and the user did not name.
void keep_files(const OutputTarget& target, const Model& original) {
  keep_what_is_read(target, original);
  if (!target.wanted() || is_written_through(target.path())) return;
  const std::filesystem::path beside = description_file(target.path());
  target.keep_beside(beside, [&] { return is_description(beside); });
  const std::filesystem::path plan = plan_file(target.path());
  target.keep_beside(plan, [&] { return is_plan_file(plan); });
}

void write_text(const std::string& text, const std::filesystem::path& path) {
  OutputFile file(path);
  file.write(text);
  file.commit();
}

/// The model and, where there is room beside it, its description, which then knows where it lies.
SavedOutput write(const OptimizeArguments& given, const OutputTarget& target, const Delivery& delivery,
                  nlohmann::ordered_json& description) {
  const Model model = packaged(delivery, given.request);
  const std::string plan = packaged_plan(delivery, given.request);
  return target.save([&](const std::filesystem::path& path) {
    save_model(model, path);
    if (is_written_through(path)) return;
    description["output"] = path.string();
    if (!plan.empty()) {
      description["plan"] = plan_file(path).string();
      write_text(plan, plan_file(path));
    }
    const std::string snippet =
        described_runtime(given.request)->snippet(delivery.chosen.options, given.request.threads, path.string());
    if (!snippet.empty()) description["python"] = snippet;
    write_text(description.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n",
               description_file(path));
  });
}

/// `net.onnx, net.plan.json and net.json`.
std::string written_files(const SavedOutput& saved, const nlohmann::ordered_json& description) {
  if (means_standard_output(saved.path)) return "the model to standard output";
  if (is_written_through(saved.path)) return saved.path.string();
  return fmt::format("{}{} and {}", saved.path.string(),
                     description.contains("plan") ? ", " + plan_file(saved.path).string() : "",
                     description_file(saved.path).string());
}

/// The last line: what ended it, and what became of the result.
std::string ending(const OptimizeArguments& given, const Delivery& delivery, const SavedOutput& saved,
                   const nlohmann::ordered_json& description) {
  const std::string what = interrupted() ? "interrupted; the best so far: " : "";
  if (!delivery.correct()) return fmt::format("{}wrote nothing", interrupted() ? "interrupted; " : "");
  if (given.dry_run) return what + "nothing is written on a dry run";
  const double seconds = given.timer.seconds();
  const std::string after = fmt::format("after {:.{}f} s", seconds, seconds < 10 ? 1 : 0);
  const std::string written = saved.path.empty() ? "wrote nothing" : "wrote " + written_files(saved, description);
  return fmt::format("{}{} {}{}", what, written, after,
                     interrupted() ? "" : fmt::format("; {}", text_of(delivery.end)));
}

void print_delivery(const OptimizeArguments& given, const Delivery& delivery, const SavedOutput& saved,
                    const nlohmann::ordered_json& description) {
  fmt::print("{}", delivery_text(delivery, description));
  fmt::print("{}", absence_of_usual(given));
  fmt::print("{}\n", ending(given, delivery, saved, description));
  std::fflush(stdout);  // warnings go elsewhere and come last
  if (delivery.measurement)
    for (const std::string& warning : delivery.measurement->warnings()) note("warning: {}", warning);
}

void print_json(const Delivery& delivery, const SavedOutput& saved, const nlohmann::ordered_json& description) {
  nlohmann::ordered_json object = delivery_result_json(delivery, description);
  object["ended_by"] = name_of(interrupted() ? SearchEnd::interrupted : delivery.end);
  enter(saved, object);
  fmt::print("{}", json_line(object));
}

/// On a terminal a line says how far it is; it goes away in the end.
Delivery deliver_with_progress(const Model& original, DeliveryRequest& request) {
  struct Erased {
    ~Erased() { erase_progress(); }
  } const erased;
  request.announce = [](const std::string& line) { show_progress(line); };
  Delivery delivery = deliver(original, request);
  request.announce = nullptr;
  return delivery;
}

ExitCode optimize(OptimizeArguments& given) {
  given.output.set_default(default_output(given.model));
  const OutputTarget target = target_of(given);
  DeliveryRequest& request = given.request;
  request.effort = static_cast<DeliveryEffort>(given.effort);
  request.make_static = [&given](Model& model) { given.dims.apply(model); };
  if (given.seconds > 0) request.seconds = given.seconds;
  if (given.tolerance) request.tolerance = Tolerance{*given.tolerance, *given.tolerance};
  const Model original = load_model(given.model);
  request.other_sizes = [&](std::string_view refusal) { return given.dims.settle_otherwise(original, refusal); };
  keep_files(target, original);
  given.dims.settle(original, request.input_files, " for checking and timing");
  request.assumes_sizes = !given.dims.assumed().empty();
  request.runtime = runtime_of(given);
  request.checker = wanted_runtime(given);
  if (!given.database.empty()) use_store(std::make_shared<Store>(given.database), given, original, request);
  const InterruptGuard guard;
  if (request.runtime) note("searching; Ctrl-C ends it with the best so far, a second one at once and without writing");
  const std::string assumed = given.dims.assumed();
  const Delivery delivery = deliver_with_progress(original, request);
  if (given.dims.assumed() != assumed) note("these were refused, sizes assumed instead: {}", given.dims.assumed());
  nlohmann::ordered_json description = delivery_json(delivery, request, original);
  const SavedOutput saved = delivery.correct() ? write(given, target, delivery, description) : SavedOutput();
  if (given.json) print_json(delivery, saved, description);
  else print_delivery(given, delivery, saved, description);
  if (!delivery.correct()) return ExitCode::verification_failed;
  if (interrupted()) return told(saved, ExitCode::interrupted);
  return told(saved, given.fail_if_no_gain && !delivery.gain ? ExitCode::no_gain : ExitCode::done);
}

/// `onnxruntime if installed, else native`.
std::string default_runtime_text() {
  const RuntimeKind* stand_in = RuntimeKind::stand_in();
  return fmt::format("{} if installed{}", RuntimeKind::usual().name(),
                     stand_in != nullptr ? fmt::format(", else {}", stand_in->name()) : "");
}

void add_search_options(CLI::App& command, OptimizeArguments& given) {
  command
      .add_option("-O", given.effort,
                  "Effort: 1 measures nothing, 2 tries rules, searches and likely options, 3 more of each for longer")
      ->capture_default_str()
      ->check(CLI::Range(1, 3));
  command
      .add_option(
          "--time", given.seconds,
          "Seconds that all may take, about (without it and --evals: what 24 seconds of timed runs need with -O2, 90 "
          "with -O3)")
      ->check(CLI::PositiveNumber);
  command.add_option("--evals", given.request.evaluations, "Most proposals to time");
  given.runtime.add_to(command, default_runtime_text(), kNoRuntime);
  command.add_option("--threads", given.request.threads, "Threads that the model will run with")
      ->capture_default_str()
      ->check(CLI::Range(1, 1024));
  std::set<std::string> domains;
  for (const Rule& rule : builtin_rules())
    if (!rule.domain.empty()) domains.insert(rule.domain);
  command
      .add_option("--allow-domain", given.request.domains,
                  "Operators beyond ONNX's own that may be used: com.microsoft")
      ->check(CLI::IsMember(domains));
  command.add_option(
      "--db", given.database,
      "Take timings of operators and what other models taught from this store and add new ones (hone db)");
  command.add_option("-i,--input", given.request.input_files, "NAME=FILE.npy, NAME=FILE.pb or a test_data_set folder");
}

std::function<ExitCode()> setup_optimize(CLI::App& command) {
  auto given = std::make_shared<OptimizeArguments>();
  command.add_option("model", given->model, "Model file or zoo:NAME")->required();
  given->output.add_to(command, model_form(), "Where to write: .onnx, .onnxtxt or - (default: MODEL.hone.onnx)");
  given->dims.add_to(command);
  add_search_options(command, *given);
  command.add_option("--seed", given->request.seed, "Seed of everything random")->capture_default_str();
  command
      .add_option("--tolerance", given->tolerance,
                  "Accept results within X + X * |value| (default: as accurate as the original)")
      ->check(CLI::NonNegativeNumber);
  command.add_flag("--dry-run", given->dry_run, "Do everything but write");
  command.add_flag("--fail-if-no-gain", given->fail_if_no_gain, "Exit with 10 when nothing was proved faster");
  command.add_flag("--json", given->json, "One JSON object instead of tables");
  add_examples(command, {{"hone optimize model.onnx", "writes model.hone.onnx"},
                         {"hone optimize m.onnx -o fast.onnx --time 60", "a minute of search"},
                         {"hone optimize m.onnx --dim batch=8 --threads 2", "for that batch"},
                         {"hone optimize zoo:squeezenet -O1", "measure nothing"}});
  return [given] { return optimize(*given); };
}

const Verb optimize_verb("optimize", Topic::models,
                         "Make a model faster, prove that it computes the same, and write it", setup_optimize);

}  // namespace
}  // namespace hone

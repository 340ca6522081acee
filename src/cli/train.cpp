#include <fmt/format.h>

#include <fstream>
#include <thread>

#include "base/interrupt.h"
#include "cli/examples.h"
#include "cli/output_arguments.h"
#include "cli/training_data.h"
#include "cli/verb.h"
#include "learn/policy/card.h"
#include "learn/policy/learn_library.h"
#include "learn/policy/policy.h"
#include "learn/policy/policy_kind.h"
#include "report/json_line.h"
#include "rewrite/worth/graph_time.h"
#include "run/runtime/runtime.h"
#include "store/records/rewrite_records.h"

namespace hone {
namespace {

constexpr const char* kPolicyFile = "policy.safetensors";

/// What the user wants of `hone train`.
struct TrainArguments {
  TrainingRequest request;
  OutputArguments output;
  std::optional<std::uint64_t> steps;
  std::optional<double> seconds;
  std::string store;  // of measured rewrites
  bool json = false;
};

template <class Kind>
std::vector<std::string> names_of() {
  std::vector<std::string> names;
  for (const Kind* kind : Kind::all()) names.emplace_back(kind->name());
  return names;
}

void add_network_options(CLI::App& command, TrainingRequest& request) {
  command.add_option(
      "--start", request.start,
      "Policy to go on from, built in or a file, which then says --encoder and --head, and of guided also "
      "--width and --rounds");
  command
      .add_option("--encoder", request.encoder,
                  "How operations learn of each other: messages along the graph, the same with features of edges, or "
                  "a sequence of all of them")
      ->check(CLI::IsMember(names_of<EncoderKind>()));
  command
      .add_option("--head", request.head,
                  "How plans are drawn: autoregressive (step by step) or independent; of regal: genes, or "
                  "genes-autoregressive")
      ->check(CLI::IsMember(names_of<PolicyKind>()));
  command.add_option("--width", request.width, "Of the network's hidden rows")->check(CLI::Range(1, 1024));
  command.add_option("--rounds", request.rounds, "Of message passing, or of reading the sequence")
      ->check(CLI::Range(0, 16));
}

void add_learning_options(CLI::App& command, TrainingRequest& request) {
  command.add_option("--algorithm", request.algorithm, "How to learn: reinforce, ppo or supervised; guided only");
  command
      .add_option("--without", request.without,
                  "A part that is left out, to see what it is worth; go only: plans are then not refined, or the network "
                  "lacks it")
      ->check(CLI::IsMember({"attention", "superposition", "recurrence", "refinement"}));
  command.add_option("--graphs", request.graphs, "Graphs of a step")->check(CLI::Range(1, 10000));
  command.add_option("--samples", request.samples, "Plans or searches drawn for each graph of a step")
      ->check(CLI::Range(2, 10000));
  command.add_option("--evals", request.evaluations, "Evaluations of each search that a policy is measured by")
      ->check(CLI::Range(1, 100000000));
  command.add_option("--rate", request.rate, "Rate of learning");
  command.add_option("--entropy", request.entropy, "What keeping choices open is worth");
  command.add_option("--seed", request.seed, "Of all randomness");
}

/// What ends a run, and how much is done at a time; a limit that is given is the only one.
void add_limits(CLI::App& command, TrainArguments& given) {
  command.add_option(
      "--steps", given.steps,
      fmt::format("Steps of learning, with those before the run was interrupted; without it and --time, {}",
                  TrainingRequest::kUsualSteps));
  command.add_option("--time", given.seconds, "Seconds of learning, counted likewise");
  command.add_option("--threads", given.request.threads, "Plans drawn at the same time")->check(CLI::Range(1, 1024));
  command.add_option("--save-every", given.request.save_every, "Steps between checkpoints")
      ->check(CLI::Range(1, 1000000));
}

void set_limits(TrainArguments& given) {
  if (given.seconds) given.request.seconds = *given.seconds;
  if (given.steps) given.request.steps = *given.steps;
  else if (given.seconds) given.request.steps = TrainingRequest::kNoLimit;
}

/// Whether a run has sealed a policy there; a run may have been killed before its first checkpoint.
bool is_sealed_policy(const std::filesystem::path& file) {
  try {
    return is_intact(read_policy(file.string())).has_value();
  } catch (const InputError&) {
    return false;
  }
}

bool is_training_log(const std::filesystem::path& file) {
  std::string line;
  std::ifstream stream(file);
  return !std::getline(stream, line) || line.starts_with("step,seconds");
}

/// The folder, tried now: a new one, that of a run, or one without other files of the same names.
OutputTarget folder_for_training(const TrainArguments& given) {
  OutputTarget target = given.output.target();
  const std::filesystem::path policy = target.path() / kPolicyFile, log = target.path() / "progress.csv";
  target.keep_beside(policy, [&] { return is_sealed_policy(policy); });
  target.keep_beside(log, [&] { return is_training_log(log); });
  return target;
}

std::string_view reason_of(SearchEnd end) {
  return end == SearchEnd::evaluations ? "all steps are done" : text_of(end);
}

/// The policy, if there is one, and how the run ended.
void print_training(const TrainArguments& given, const TrainingOutcome& outcome) {
  const std::filesystem::path policy = given.request.out / kPolicyFile;
  const bool exists = std::filesystem::exists(policy);
  if (given.json) {
    nlohmann::ordered_json object{{"steps", outcome.steps},
                                  {"seconds", outcome.seconds},
                                  {"ended_by", outcome.end == SearchEnd::evaluations ? "steps" : name_of(outcome.end)}};
    if (exists) object["policy"] = policy.string();
    fmt::print("{}", json_line(object));
    return;
  }
  if (exists) fmt::print("{}\n", policy.string());
  fmt::print("ended after {:.1f} s and {} step{}: {}\n", outcome.seconds, outcome.steps, outcome.steps == 1 ? "" : "s",
             reason_of(outcome.end));
}

/// What was learned from measured rewrites about the runtime that is meant where the user names none.
std::shared_ptr<const GraphTime> graph_time_in(const std::string& url) {
  if (url.empty()) return nullptr;
  Store store(url, StoreAccess::read);
  const std::string runtime(RuntimeKind::usual().name());
  const auto found = rewrites_by_runtime(store);
  if (!found.contains(runtime))
    fail("{}: has no rewrites measured on {}; `hone bench rewrite-cost --db` measures some", url, runtime);
  std::vector<MeasuredRewrites> models;
  for (const TimedRewrites& timed : found.at(runtime)) models.push_back(examples_of(timed, PartPrices::estimated));
  return std::make_shared<const GraphTime>(GraphTime::fit(models));
}

ExitCode run_training(TrainArguments& given) {
  set_limits(given);
  TrainingRequest& request = given.request;
  request.out = folder_for_training(given).path();
  check(request);
  const LearnLibrary library = LearnLibrary::open();
  const InterruptGuard guard;
  const TrainingOutcome outcome =
      library.train(request, {.workloads = [&request] { return load_training_data(request.data); },
                              .models = [&request] { return load_training_models(request.data); },
                              .graph_time = graph_time_in(given.store),
                              .gains = [&request] { return load_measured_gains(request.data); },
                              .model = [](const std::string& name) { return load_training_models({name}).front(); }});
  print_training(given, outcome);
  return interrupted() ? ExitCode::interrupted : ExitCode::done;
}

std::function<ExitCode()> setup_train(CLI::App& command) {
  auto given = std::make_shared<TrainArguments>();
  TrainingRequest* request = &given->request;
  request->threads = std::max(1U, std::thread::hardware_concurrency());
  command
      .add_option(
          "method", request->method,
          "What to train: go (all decisions at once, in passes), regal (genes for the genetic algorithm), guided "
          "(making plans), guided-moves (improving them), advantage (what single decisions are worth), hone-rewrite or "
          "xrlflow (which rewrite to take next), hone-prices (what graphs take; --data: stores of bench rewrite-gain)")
      ->required();
  command
      .add_option("--data", request->data,
                  "Graphs to learn from: synthetic:RECIPE, zoo:MODEL, a folder of models, or a file of any kind that "
                  "hone plan takes; may be repeated")
      ->required();
  given->output.add_folder_to(command,
                              "Folder for policy.safetensors, checkpoint, progress.csv and TensorBoard's file; the "
                              "same command goes on there after an interruption");
  command.get_option("--output")->required();
  command.add_option("--objective", request->objective, "What plans are judged by");
  command.add_option("--machine", request->machine, "Machine to plan for");
  command.add_option("--tasks", request->tasks, "What is decided, see hone plan tasks; advantage only");
  add_network_options(command, *request);
  add_learning_options(command, *request);
  command.add_option("--device", request->device, "Where to work on the network: cpu or cuda")
      ->check(CLI::IsMember({"cpu", "cuda"}));
  add_limits(command, *given);
  command.add_option("--db", given->store,
                     "Store of measured rewrites by which episodes of rewriting are paid, see hone bench rewrite-cost; "
                     "without it by the sum of prices");
  command.add_option("--licence", request->licence, "Of the policy, for its card");
  command.add_flag("--json", given->json, "One JSON object instead of text");
  add_examples(command, {{"hone train guided --data models -o mine", "on a folder of models"},
                         {"hone train regal --data synthetic:count=200 -o mine", "on drawn graphs"}});
  return [given] { return run_training(*given); };
}

const Verb train_verb("train", Topic::learning, "Train a policy on a set of graphs", setup_train);

}  // namespace
}  // namespace hone

#include <fmt/format.h>

#include <thread>

#include "base/interrupt.h"
#include "cli/examples.h"
#include "cli/training_data.h"
#include "cli/verb.h"
#include "learn/policy/learn_library.h"
#include "learn/policy/policy_kind.h"

namespace hone {
namespace {

template <class Kind>
std::vector<std::string> names_of() {
  std::vector<std::string> names;
  for (const Kind* kind : Kind::all()) names.emplace_back(kind->name());
  return names;
}

void add_network_options(CLI::App& command, TrainingRequest& request) {
  command.add_option(
      "--start", request.start,
      "Policy to go on from, built in or a file, which then says --encoder and --head, and of regal also "
      "--width and --rounds");
  command
      .add_option("--encoder", request.encoder,
                  "How operations learn of each other: message passing along the graph, or a sequence of all of them")
      ->check(CLI::IsMember(names_of<EncoderKind>()));
  command.add_option("--head", request.head, "How plans are drawn: autoregressive (step by step) or independent")
      ->check(CLI::IsMember(names_of<PolicyKind>()));
  command.add_option("--width", request.width, "Of the network's hidden rows")->check(CLI::Range(1, 1024));
  command.add_option("--rounds", request.rounds, "Of message passing, or of reading the sequence")
      ->check(CLI::Range(0, 16));
}

void add_learning_options(CLI::App& command, TrainingRequest& request) {
  command.add_option("--algorithm", request.algorithm, "How to learn: reinforce, ppo or supervised; regal only");
  command.add_option("--graphs", request.graphs, "Graphs of a step")->check(CLI::Range(1, 10000));
  command.add_option("--samples", request.samples, "Plans drawn for each graph of a step")->check(CLI::Range(2, 10000));
  command.add_option("--rate", request.rate, "Rate of learning");
  command.add_option("--entropy", request.entropy, "What keeping choices open is worth");
  command.add_option("--seed", request.seed, "Of all randomness");
  command.add_option("--steps", request.steps, "Steps of learning, with those before the run was interrupted");
  command.add_option("--seconds", request.seconds, "Ends after so many seconds, too, counted likewise");
}

std::function<ExitCode()> setup_train(CLI::App& command) {
  auto request = std::make_shared<TrainingRequest>();
  request->threads = std::max(1U, std::thread::hardware_concurrency());
  command.add_option("method", request->method, "What to train: regal (making plans) or regal-moves (improving them)")
      ->required();
  command
      .add_option("--data", request->data,
                  "Graphs to learn from: synthetic:RECIPE, zoo:MODEL, a folder of models, or a file of any kind that "
                  "hone plan takes; may be repeated")
      ->required();
  command
      .add_option("--out", request->out,
                  "Folder for policy.safetensors, checkpoint, progress.csv and TensorBoard's file; the same command "
                  "goes on there after an interruption")
      ->required();
  command.add_option("--objective", request->objective, "What plans are judged by");
  command.add_option("--machine", request->machine, "Machine to plan for");
  add_network_options(command, *request);
  add_learning_options(command, *request);
  command.add_option("--device", request->device, "Where to work on the network: cpu or cuda")
      ->check(CLI::IsMember({"cpu", "cuda"}));
  command.add_option("--threads", request->threads, "Plans drawn at the same time")->check(CLI::Range(1, 1024));
  command.add_option("--save-every", request->save_every, "Steps between checkpoints")->check(CLI::Range(1, 1000000));
  command.add_option("--licence", request->licence, "Of the policy, for its card");
  add_examples(command, {{"hone train regal --data models --out mine", "on a folder of models"},
                         {"hone train regal --data synthetic:count=200 --out mine", "on drawn graphs"}});
  return [request] {
    check(*request);
    const LearnLibrary library = LearnLibrary::open();
    const InterruptGuard guard;
    library.train(*request, {.workloads = [request] { return load_training_data(request->data); }});
    const std::filesystem::path policy = request->out / "policy.safetensors";
    if (std::filesystem::exists(policy)) fmt::print("{}\n", policy.string());
    return interrupted() ? ExitCode::interrupted : ExitCode::done;
  };
}

const Verb train_verb("train", Topic::learning, "Train a policy on a set of graphs", setup_train);

}  // namespace
}  // namespace hone

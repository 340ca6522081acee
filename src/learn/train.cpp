#include "learn/train.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/progress.h"
#include "base/timer.h"
#include "learn/baseline.h"
#include "learn/decision_arrays.h"
#include "learn/event_file.h"
#include "learn/first_rule.h"
#include "learn/reinforce.h"
#include "learn/train_moves.h"
#include "policy/plan_sampler.h"

namespace hone::learn {
namespace {

constexpr int kEpochs = 4;           // steps of PPO with the same plans
constexpr double kValueWorth = 0.5;  // of PPO's guesses of values, against its plans

/// What is made of plans that were drawn: those better than others of their graph become likelier; the same in several
/// careful steps and against a learned baseline; or the best plan known is imitated.
enum class Algorithm : std::uint8_t { reinforce, ppo, supervised };

Algorithm parse_algorithm(const std::string& name) {
  if (name == "reinforce") return Algorithm::reinforce;
  if (name == "ppo") return Algorithm::ppo;
  if (name == "supervised") return Algorithm::supervised;
  fail_usage("hone can train by 'reinforce', 'ppo' and 'supervised', not by '{}'", name);
}

class Trainer {
 public:
  explicit Trainer(const TrainingRequest& request)
      : request_(request),
        graphs_(load_training_graphs(request)),
        first_(first_contents(request)),
        head_(head_of(first_, request.start)),
        network_(first_, PolicyNetwork::Purpose::plans) {
    std::filesystem::create_directories(request.out);
    if (std::filesystem::exists(checkpoint())) resume(read_safetensors(checkpoint()));
  }

  void run() {
    network_.move_to(device_named(request_.device));
    const Timer timer;
    EventFile events(request_.out);
    std::ofstream log(request_.out / "progress.csv", step_ == 0 ? std::ios::trunc : std::ios::app);
    if (step_ == 0) log << "step,seconds,ratio,best_ratio,entropy\n";
    while (step_ < request_.steps && timer.seconds() < request_.seconds && !interrupted()) {
      const Progress progress = step();
      ++step_;
      log << fmt::format("{},{:.1f},{:.5f},{:.5f},{:.4f}\n", step_, timer.seconds(), progress.ratio, progress.best,
                         progress.entropy);
      const EventFile::Scalar scalars[] = {
          {"reward", -progress.ratio}, {"best_reward", -progress.best}, {"entropy", progress.entropy}};
      events.add(step_, scalars);
      const std::string line =
          fmt::format("step {}, {:.0f} s: a plan costs {:.4f} of the standard's, the best {:.4f}, entropy {:.3f}",
                      step_, timer.seconds(), progress.ratio, progress.best, progress.entropy);
      show_progress(line);
      if (isatty(STDERR_FILENO) == 0 && step_ % request_.save_every == 0) fmt::print(stderr, "{}\n", line);
      if (step_ % request_.save_every == 0) save(progress);
      last_ = progress;
    }
    save(last_);
  }

 private:
  struct Progress {
    double ratio = 0, best = 0, entropy = 0;
  };

  static Safetensors first_contents(const TrainingRequest& request) {
    if (!request.start.empty()) return read_safetensors(request.start);
    const NetworkShape shape = shape_of(request);
    Safetensors contents = untrained_networks(shape, request.seed + 1);
    set_first_rule(contents, shape.head, parse_objective(request.objective));
    return contents;
  }

  std::filesystem::path checkpoint() const { return request_.out / "checkpoint.safetensors"; }

  Progress step() {
    Rng rng = Rng(request_.seed).split(step_);
    std::vector<Assignment> assignments(request_.graphs);
    std::vector<const GraphView*> views;
    std::vector<const Features*> features;
    for (Assignment& assignment : assignments) {
      assignment.graph = rng.below(graphs_.size());
      assignment.head = head_;
      const TrainingGraph& graph = *graphs_[assignment.graph];
      const bool may_lean = !graph.incumbent.device_of.empty() && algorithm_ != Algorithm::supervised;
      assignment.leans = may_lean && rng.uniform() < 0.5;
      views.push_back(&graph.view);
      features.push_back(&graph.features);
    }
    const Batch batch = make_batch(views, features);
    const torch::Tensor weights = network_.weights(batch);
    for (std::size_t i = 0; i < assignments.size(); ++i) assignments[i].taste = taste_of(weights, batch, i, *views[i]);
    auto rollouts = roll_out(graphs_, assignments, request_.samples, request_.threads, rng.split(1));
    Progress progress;
    std::vector<std::vector<double>> rewarded;
    for (std::size_t i = 0; i < assignments.size(); ++i)
      rewarded.push_back(rewards(*graphs_[assignments[i].graph], assignments[i], rollouts[i], progress));
    for (std::size_t i = 0; i < assignments.size(); ++i) remember(*graphs_[assignments[i].graph], rollouts[i]);
    const std::vector<std::vector<double>> worths = worths_of(rewarded, batch);
    Lessons lessons;
    for (std::size_t i = 0; i < assignments.size(); ++i) {
      if (algorithm_ == Algorithm::supervised)
        lessons.add(graphs_[assignments[i].graph]->best_trace, batch.first[i], 1);
      for (std::size_t k = 0; k < worths[i].size(); ++k)
        if (worths[i][k] != 0) lessons.add(rollouts[i][k].trace, batch.first[i], worths[i][k]);
    }
    if (!lessons.empty()) progress.entropy = learn(lessons, rewarded, batch, weights);
    return progress;
  }

  /// What plans are worth to learn from, by graph.
  std::vector<std::vector<double>> worths_of(const std::vector<std::vector<double>>& rewarded,
                                             const Batch& batch) const {
    std::vector<std::vector<double>> worths(rewarded.size());
    if (algorithm_ == Algorithm::reinforce) std::ranges::transform(rewarded, worths.begin(), advantages);
    if (algorithm_ != Algorithm::ppo) return worths;
    const NamedArray guesses = to_array(baseline_.values(batch));
    std::vector<double> all;
    for (std::size_t i = 0; i < rewarded.size(); ++i)
      for (const double reward : rewarded[i]) all.push_back(reward - static_cast<double>(guesses.values[i]));
    all = advantages(all);
    for (std::size_t i = 0; i < rewarded.size(); ++i)
      for (std::size_t k = 0; k < rewarded[i].size(); ++k) worths[i].push_back(all[i * request_.samples + k]);
    return worths;
  }

  /// Changes the network; the entropy of decisions before.
  double learn(const Lessons& lessons, const std::vector<std::vector<double>>& rewarded, const Batch& batch,
               const torch::Tensor& weights) {
    const double entropy_worth = algorithm_ == Algorithm::supervised ? 0 : request_.entropy;
    const Lessons::Loss first = lessons.loss(weights, network_.wait(), entropy_worth);
    first.total.backward();
    if (algorithm_ != Algorithm::ppo) {
      adam_.step(network_.parameters(), request_.rate);
      return first.entropy;
    }
    std::vector<float> targets;
    for (const std::vector<double>& rewards : rewarded)
      targets.push_back(
          static_cast<float>(std::reduce(rewards.begin(), rewards.end()) / static_cast<double>(rewards.size())));
    const torch::Tensor target = to_tensor({.shape = {targets.size()}, .values = targets});
    for (int epoch = 0; epoch < kEpochs; ++epoch) {
      if (epoch > 0)
        lessons.loss(network_.weights(batch), network_.wait(), entropy_worth, first.chosen).total.backward();
      (kValueWorth * (baseline_.values(batch) - target).pow(2).mean()).backward();
      std::map<std::string, torch::Tensor> all = network_.parameters();
      all.insert(baseline_.parameters().begin(), baseline_.parameters().end());
      adam_.step(all, request_.rate);
    }
    return first.entropy;
  }

  Taste taste_of(const torch::Tensor& weights, const Batch& batch, std::size_t graph, const GraphView& view) const {
    const torch::Tensor rows =
        weights.detach().slice(0, batch.first[graph], batch.first[graph] + static_cast<std::int64_t>(view.works()));
    Taste taste{.weights = to_array(rows).values};
    std::ranges::copy(to_array(network_.wait()).values, taste.wait.begin());
    return taste;
  }

  /// -o_a / o_s; where plans lean on the best one seen, only getting better than that counts.
  std::vector<double> rewards(const TrainingGraph& graph, const Assignment& assignment,
                              const std::vector<Rollout>& rollouts, Progress& progress) const {
    std::vector<double> rewards;
    double best = std::numeric_limits<double>::infinity();
    for (const Rollout& rollout : rollouts) {
      const double ratio = rollout.value / graph.standard;
      best = std::min(best, ratio);
      const double share = 1 / static_cast<double>(request_.graphs);
      progress.ratio += ratio * share / static_cast<double>(rollouts.size());
      rewards.push_back(-(assignment.leans ? std::min(ratio, graph.best / graph.standard) : ratio));
    }
    progress.best += best / static_cast<double>(request_.graphs);
    return rewards;
  }

  void remember(TrainingGraph& graph, const std::vector<Rollout>& rollouts) const {
    for (const Rollout& rollout : rollouts) {
      if (!graph.incumbent.device_of.empty() && rollout.value >= graph.best) continue;
      graph.best = rollout.value;
      graph.incumbent = graph.first;
      if (algorithm_ == Algorithm::supervised) graph.best_trace = rollout.trace;
      lean_on(plan_of(rollout.made, undecided_plan(graph.problem)), graph.incumbent);
      if (graph.problem.objective == Objective::peak_bytes) graph.incumbent.bytes = std::max(1.0, rollout.value);
    }
  }

  void save(const Progress& progress) {
    Safetensors policy = network_.save();
    Safetensors state = adam_.save();
    for (const auto& [name, array] : policy.arrays) state.arrays["network." + name] = array;
    policy.arrays.insert(first_.arrays.begin(), first_.arrays.end());  // those about moves
    policy.metadata = {{"method", request_.method},
                       {"encoder", std::string(name_of(encoder_of(first_, request_.start)))},
                       {"head", std::string(name_of(head_))},
                       {"schema", std::string(kFeatureSchema)},
                       {"objective", request_.objective},
                       {"data", fmt::format("{}", fmt::join(request_.data, " "))},
                       {"seed", std::to_string(request_.seed)},
                       {"command", request_.command},
                       {"metrics", fmt::format("steps={} ratio={:.4f} best_of_{}={:.4f}", step_, progress.ratio,
                                               request_.samples, progress.best)},
                       {"licence", "that of hone"}};
    write_safetensors(request_.out / "policy.safetensors", policy);
    for (std::size_t i = 0; i < graphs_.size(); ++i) save_incumbent(*graphs_[i], fmt::format("graph{}.", i), state);
    if (algorithm_ == Algorithm::ppo) state.arrays.merge(baseline_.save().arrays);
    state.metadata["step"] = std::to_string(step_);
    write_safetensors(checkpoint(), state);
  }

  static void save_incumbent(const TrainingGraph& graph, const std::string& name, Safetensors& state) {
    const std::size_t works = graph.incumbent.device_of.size();
    NamedArray devices{.shape = {works}};
    for (const std::uint32_t device : graph.incumbent.device_of) devices.values.push_back(static_cast<float>(device));
    state.arrays[name + "device"] = devices;
    state.arrays[name + "position"] = {.shape = {works}, .values = graph.incumbent.position};
    if (!graph.best_trace.decisions.empty()) save_trace(graph.best_trace, name, state);
    state.metadata[name + "best"] = fmt::format("{:.17g}", graph.best);
  }

  void resume(const Safetensors& state) {
    adam_.load(state);
    baseline_.load(state);
    Safetensors contents{.metadata = first_.metadata};
    for (const auto& [name, array] : state.arrays)
      if (name.starts_with("network.")) contents.arrays[name.substr(8)] = array;
    network_ = PolicyNetwork(contents, PolicyNetwork::Purpose::plans);
    step_ = std::stoull(state.metadata.at("step"));
    for (std::size_t i = 0; i < graphs_.size(); ++i) {
      TrainingGraph& graph = *graphs_[i];
      const std::string name = fmt::format("graph{}.", i);
      const auto devices = state.arrays.find(name + "device");
      if (devices == state.arrays.end() || devices->second.values.size() != graph.view.works()) continue;
      graph.incumbent = graph.first;
      for (const float device : devices->second.values)
        graph.incumbent.device_of.push_back(static_cast<std::uint32_t>(device));
      graph.incumbent.position = state.arrays.at(name + "position").values;
      graph.best_trace = load_trace(name, state);
      graph.best = std::stod(state.metadata.at(name + "best"));
      if (graph.problem.objective == Objective::peak_bytes) graph.incumbent.bytes = std::max(1.0, graph.best);
    }
  }

  TrainingRequest request_;
  std::vector<std::unique_ptr<TrainingGraph>> graphs_;
  Safetensors first_;  // what learning starts from
  Head head_;
  PolicyNetwork network_;
  Baseline baseline_{request_.seed + 2};
  Algorithm algorithm_ = parse_algorithm(request_.algorithm);
  Adam adam_;
  std::uint64_t step_ = 0;
  Progress last_;
};

}  // namespace

void train(const TrainingRequest& request) {
  if (request.out.empty()) fail_usage("hone train needs a folder to write to: --out DIR");
  if (request.method == "regal-moves") return train_moves(request);
  if (request.method != "regal") fail_usage("hone can train 'regal' and 'regal-moves', not '{}'", request.method);
  Trainer(request).run();
}

}  // namespace hone::learn

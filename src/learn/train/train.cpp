#include "learn/train/train.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "base/interrupt.h"
#include "learn/policy/plan_sampler.h"
#include "learn/train/baseline.h"
#include "learn/train/checkpoint.h"
#include "learn/train/decision_arrays.h"
#include "learn/train/first_rule.h"
#include "learn/train/reinforce.h"
#include "learn/train/train_moves.h"
#include "learn/train/training_run.h"

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
  Trainer(const TrainingRequest& request, TrainingRun& run, std::vector<std::unique_ptr<TrainingGraph>> graphs)
      : request_(request),
        run_(run),
        graphs_(std::move(graphs)),
        first_(first_contents(request)),
        head_(head_of(first_, request.start)),
        network_(first_, PolicyNetwork::Purpose::plans) {
    if (run.checkpoint()) resume(*run.checkpoint());
    network_.move_to(device_named(request.device));
  }

  void run() {
    run_.train({.step = [this] { step_and_tell(); }, .save = [this] { save(); }});
  }

 private:
  struct Progress {
    double ratio = 0, best = 0;
    double entropy = std::numeric_limits<double>::quiet_NaN();  // not known where no plan was better than another
  };

  static Safetensors first_contents(const TrainingRequest& request) {
    if (!request.start.empty()) return usable_policy(request.start);
    const NetworkShape shape = shape_of(request);
    Safetensors contents = untrained_networks(shape, request.seed + 1);
    set_first_rule(contents, shape.head, parse_objective(request.objective));
    return contents;
  }

  void step_and_tell() {
    last_ = step();
    const EventFile::Scalar figures[] = {
        {"ratio", last_.ratio}, {"best_ratio", last_.best}, {"entropy", last_.entropy}};
    run_.end_step(figures,
                  fmt::format("a plan costs {:.4f} of the standard's, the best {:.4f}{}", last_.ratio, last_.best,
                              std::isnan(last_.entropy) ? "" : fmt::format(", entropy {:.3f}", last_.entropy)));
  }

  Progress step() {
    Rng rng = Rng(request_.seed).split(run_.step());
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
    const torch::Tensor rows = weights.detach().slice(
        0, batch.first[graph], batch.first[graph] + static_cast<std::int64_t>(view.operations()));
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

  void save() {
    Safetensors policy = network_.save();
    Safetensors state = adam_.save();
    put_network(policy, state);
    policy.arrays.insert(first_.arrays.begin(), first_.arrays.end());  // those about moves
    policy.metadata = first_.metadata;                                 // likewise
    describe(policy, encoder_of(first_, request_.start), head_);
    policy.metadata["metrics"] =
        fmt::format("steps={} ratio={:.4f} best_of_{}={:.4f}", run_.step(), last_.ratio, request_.samples, last_.best);
    for (std::size_t i = 0; i < graphs_.size(); ++i) save_incumbent(*graphs_[i], fmt::format("graph{}.", i), state);
    if (algorithm_ == Algorithm::ppo) state.arrays.merge(baseline_.save().arrays);
    run_.save(std::move(policy), std::move(state));
  }

  static void save_incumbent(const TrainingGraph& graph, const std::string& name, Safetensors& state) {
    const std::size_t operations = graph.incumbent.device_of.size();
    NamedArray devices{.shape = {operations}};
    for (const std::uint32_t device : graph.incumbent.device_of) devices.values.push_back(static_cast<float>(device));
    state.arrays[name + "device"] = devices;
    state.arrays[name + "position"] = {.shape = {operations}, .values = graph.incumbent.position};
    if (!graph.best_trace.decisions.empty()) save_trace(graph.best_trace, name, state);
    state.metadata[name + "best"] = fmt::format("{:.17g}", graph.best);
  }

  void resume(const Safetensors& state) {
    adam_.load(state);
    baseline_.load(state);
    network_ = network_in(state, first_, PolicyNetwork::Purpose::plans);
    for (std::size_t i = 0; i < graphs_.size(); ++i) load_incumbent(state, fmt::format("graph{}.", i), *graphs_[i]);
  }

  static void load_incumbent(const Safetensors& state, const std::string& name, TrainingGraph& graph) {
    const auto devices = state.arrays.find(name + "device");
    const std::size_t operations = graph.view.operations();
    if (devices == state.arrays.end() || devices->second.values.size() != operations) return;
    graph.incumbent = graph.first;
    for (const float device : devices->second.values) {
      if (!(device >= 0 && device < static_cast<float>(graph.view.devices())))
        fail("the checkpoint has a plan with a device that machine {} has not", graph.problem.machine.name);
      graph.incumbent.device_of.push_back(static_cast<std::uint32_t>(device));
    }
    graph.incumbent.position = array_of(state, name + "position", {operations}, "checkpoint").values;
    graph.best_trace = load_trace(name, operations, state);
    graph.best = number_in(state, name + "best");
    if (graph.problem.objective == Objective::peak_bytes) graph.incumbent.bytes = std::max(1.0, graph.best);
  }

  TrainingRequest request_;
  TrainingRun& run_;
  std::vector<std::unique_ptr<TrainingGraph>> graphs_;
  Safetensors first_;  // what learning starts from
  Head head_;
  PolicyNetwork network_;
  Baseline baseline_{request_.seed + 2};
  Algorithm algorithm_ = parse_algorithm(request_.algorithm);
  Adam adam_;
  Progress last_;
};

}  // namespace

void train(const TrainingRequest& request, std::vector<Workload> workloads) {
  check(request);
  device_named(request.device);  // mistakes are told before anything takes long
  if (!request.start.empty()) usable_policy(request.start);
  TrainingRun run(request, workloads);
  auto graphs = make_training_graphs(request, std::move(workloads));
  if (interrupted()) return;
  if (request.method == "regal-moves") train_moves(request, run, std::move(graphs));
  else Trainer(request, run, std::move(graphs)).run();
}

}  // namespace hone::learn

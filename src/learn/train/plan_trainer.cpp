// Trains the network that makes plans: every step draws plans for some graphs, compares those of one graph with each
// other and makes what was better likelier.

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "learn/policy/plan_sampler.h"
#include "learn/train/checkpoint.h"
#include "learn/train/decision_arrays.h"
#include "learn/train/first_policy.h"
#include "learn/train/plan_algorithm.h"
#include "learn/train/training_graph.h"

namespace hone::learn {
namespace {

class PlanTrainer final : public Trainer {
 public:
  PlanTrainer(const TrainingRequest& request, const TrainingData& data)
      : request_(request),
        algorithm_(PlanAlgorithmKind::named(request.algorithm).make(request)),
        first_(first_policy(request, as_plan_policy)),
        kind_(as_plan_policy(policy_kind_in(first_, request.start))),
        spec_(kind_.parts().front().describe(shape_in(first_, "", request.start))),
        network_(spec_, first_, "policy"),
        graphs_(request, data.workloads()) {
    network_.move_to(device_named(request.device));
  }

  Examples& examples() override { return graphs_; }

  std::optional<StepReport> step(std::uint64_t done) override {
    last_ = learn_from_plans(Rng(request_.seed).split(done));
    return StepReport{
        .figures = {{"ratio", last_.ratio}, {"best_ratio", last_.best}, {"entropy", last_.entropy}},
        .line = fmt::format("a plan costs {:.4f} of the standard's, the best {:.4f}{}", last_.ratio, last_.best,
                            std::isnan(last_.entropy) ? "" : fmt::format(", entropy {:.3f}", last_.entropy))};
  }

  Safetensors policy(std::uint64_t done) const override {
    Safetensors policy = network_.save();
    policy.arrays.insert(first_.arrays.begin(), first_.arrays.end());  // those about moves
    policy.metadata = first_.metadata;                                 // likewise
    policy.metadata["metrics"] =
        fmt::format("steps={} ratio={:.4f} best_of_{}={:.4f}", done, last_.ratio, request_.samples, last_.best);
    return policy;
  }

  Safetensors state() const override {
    Safetensors state = adam_.save();
    put_network(network_, state);
    for (std::size_t i = 0; i < graphs_.size(); ++i) save_incumbent(graphs_.at(i), fmt::format("graph{}.", i), state);
    algorithm_->save(state);
    return state;
  }

  void load(const Safetensors& state) override {
    adam_.load(state);
    algorithm_->load(state);
    network_ = network_in(state, spec_);
    network_.move_to(device_named(request_.device));
    for (std::size_t i = 0; i < graphs_.size(); ++i) load_incumbent(state, fmt::format("graph{}.", i), graphs_.at(i));
  }

 private:
  struct Progress {
    double ratio = 0, best = 0;
    double entropy = std::numeric_limits<double>::quiet_NaN();  // not known where no plan was better than another
  };

  std::vector<Assignment> draw_assignments(Rng& rng) {
    std::vector<Assignment> assignments(request_.graphs);
    for (Assignment& assignment : assignments) {
      assignment.graph = &graphs_.at(rng.below(graphs_.size()));
      const bool may_improve = !assignment.graph->incumbent.device_of.empty() && !algorithm_->imitates();
      assignment.improves = may_improve && rng.uniform() < 0.5;
    }
    return assignments;
  }

  Progress learn_from_plans(Rng rng) {
    std::vector<Assignment> assignments = draw_assignments(rng);
    std::vector<GraphInput> inputs;
    for (const Assignment& assignment : assignments) inputs.push_back(assignment.graph->input());
    const Batch batch = make_batch(inputs);
    const torch::Tensor weights = network_.forward(batch);
    for (std::size_t i = 0; i < assignments.size(); ++i)
      assignments[i].weights = logit_weights(batch.rows_of(weights, i));
    auto rollouts = roll_out(kind_, assignments, request_.samples, request_.threads, rng.split(1));
    Progress progress;
    PlanValues rewarded;
    for (std::size_t i = 0; i < assignments.size(); ++i)
      rewarded.push_back(rewards(*assignments[i].graph, assignments[i], rollouts[i], progress));
    for (std::size_t i = 0; i < assignments.size(); ++i) remember(*assignments[i].graph, rollouts[i]);
    const PlanValues worths = algorithm_->advantages_of(rewarded, batch);
    DecisionExamples examples;
    for (std::size_t i = 0; i < assignments.size(); ++i) {
      if (algorithm_->imitates()) examples.add(assignments[i].graph->best_trace, batch.first[i], 1);
      for (std::size_t k = 0; k < worths[i].size(); ++k)
        if (worths[i][k] != 0) examples.add(rollouts[i][k].trace, batch.first[i], worths[i][k]);
    }
    if (!examples.empty()) progress.entropy = algorithm_->learn({batch, rewarded, examples, weights, network_, adam_});
    return progress;
  }

  LogitWeights logit_weights(const torch::Tensor& rows) const {
    LogitWeights weights{.rows = to_array(rows).values};
    std::ranges::copy(to_array(network_.free(kWaitArray)).values, weights.wait.begin());
    return weights;
  }

  /// -o_a / o_s; where plans start from the best one seen, only getting better than that counts.
  std::vector<double> rewards(const TrainingGraph& graph, const Assignment& assignment,
                              const std::vector<Rollout>& rollouts, Progress& progress) const {
    std::vector<double> rewards;
    double best = std::numeric_limits<double>::infinity();
    for (const Rollout& rollout : rollouts) {
      const double ratio = rollout.value / graph.standard;
      best = std::min(best, ratio);
      const double share = 1 / static_cast<double>(request_.graphs);
      progress.ratio += ratio * share / static_cast<double>(rollouts.size());
      rewards.push_back(-(assignment.improves ? std::min(ratio, graph.best / graph.standard) : ratio));
    }
    progress.best += best / static_cast<double>(request_.graphs);
    return rewards;
  }

  void remember(TrainingGraph& graph, const std::vector<Rollout>& rollouts) const {
    for (const Rollout& rollout : rollouts) {
      if (!graph.incumbent.device_of.empty() && rollout.value >= graph.best) continue;
      graph.best = rollout.value;
      graph.incumbent = graph.first;
      if (algorithm_->imitates()) graph.best_trace = rollout.trace;
      take_plan(plan_of(rollout.made, undecided_plan(graph.problem)), graph.incumbent);
      if (graph.problem.objective == Objective::peak_bytes) graph.incumbent.bytes = std::max(1.0, rollout.value);
    }
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
  std::unique_ptr<PlanAlgorithm> algorithm_;
  Safetensors first_;  // what learning starts from
  const PlanPolicyKind& kind_;
  NetworkSpec spec_;
  TorchNetwork network_;
  WorkloadExamples graphs_;
  Adam adam_;
  Progress last_;
};

const TrainerKind guided("guided", {.family = "guided", .prefix = ""}, {FirstNetwork::of_start},
                         make_trainer<PlanTrainer>);

}  // namespace
}  // namespace hone::learn

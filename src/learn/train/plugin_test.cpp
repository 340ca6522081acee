// A policy kind with its trainer, as one file: priorities of operations, one number a node, learned by regression from
// examples that are made up here. It trains, is saved and loaded, and guides a search over plans.

#include <gtest/gtest.h>

#include "base/child_process.h"
#include "base/error.h"
#include "learn/network/layers.h"
#include "learn/policy/features.h"
#include "learn/policy/policy.h"
#include "learn/policy/reference_order.h"
#include "learn/train/adam.h"
#include "learn/train/checkpoint.h"
#include "learn/train/small_training_test.h"
#include "learn/train/trainer.h"
#include "plan/machine/machine_file.h"
#include "plan/search/optimizer.h"
#include "plan/search/search.h"
#include "plan/simulate/objective_cost.h"

namespace hone::learn {
namespace {

constexpr std::string_view kPriorities = "priorities";

NetworkSpec priority_network(const NetworkShape& shape) { return encoder_network("priority.", shape, kFeatures, 1); }

Features features_in(const GraphView& graph) { return features_of(graph, reference_order(graph).places); }

/// Draws decisions of any task: keys are the priorities that the network gives, and chance decides the rest.
class PriorityGuide final : public PlanGuide {
 public:
  PriorityGuide(const Policy& policy, const Search& search, const GraphView& graph)
      : search_(search), rng_(search.rng().split(1)) {
    const Features features = features_in(graph);
    const std::vector<float> values = policy.network(kPriorities).run(input_of(graph, features));
    plan_ = search.start();
    plan_.priority = values;
  }

  const Decisions& draw(double temperature, double) override {
    ++drawn;
    Plan plan = plan_;
    for (float& priority : plan.priority) priority += static_cast<float>(0.1 * temperature * rng_.normal());
    decisions_ = search_.task().encode(plan);
    return decisions_;
  }

  static inline int drawn = 0;

 private:
  const Search& search_;
  Rng rng_;
  Plan plan_;
  Decisions decisions_;
};

class PriorityPolicy final : public PolicyKind {
 public:
  PriorityPolicy()
      : PolicyKind("test-priorities", "one priority a node", kFeatureSchema, {{kPriorities, priority_network}}) {}

  std::unique_ptr<PlanGuide> guide(const Policy& policy, const Search& search, const GraphView& graph) const override {
    return std::make_unique<PriorityGuide>(policy, search, graph);
  }
};

const PriorityPolicy priority_policy;

/// A graph and the number that each of its nodes should get.
struct LabelledGraph {
  explicit LabelledGraph(Workload workload)
      : problem{.workload = std::move(workload), .machine = load_machine("regal-2"), .objective = Objective::seconds},
        view(problem),
        features(features_in(view)) {
    for (std::size_t i = 0; i < view.operations(); ++i)
      labels.push_back(static_cast<float>(view.tail(i) / view.critical_path()));
  }

  Problem problem;
  GraphView view;
  Features features;
  std::vector<float> labels;
};

/// Examples that nobody named on a command line.
class LabelledGraphs final : public ExampleSource<LabelledGraph> {
 public:
  std::string fingerprint() const override { return "made up"; }
  void prepare() override {
    for (Workload& workload : synthetic_graphs("synthetic:family=layered,nodes=12-20,count=6,seed=2"))
      graphs_.push_back(std::make_unique<LabelledGraph>(std::move(workload)));
  }
  std::size_t size() const override { return graphs_.size(); }
  LabelledGraph& at(std::size_t index) const override { return *graphs_[index]; }

 private:
  std::vector<std::unique_ptr<LabelledGraph>> graphs_;
};

class PriorityTrainer final : public Trainer {
 public:
  PriorityTrainer(const TrainingRequest& request, const TrainingData&)
      : request_(request),
        first_(priority_policy.draw_networks({.width = request.width, .rounds = request.rounds}, request.seed)),
        spec_(priority_network({.width = request.width, .rounds = request.rounds})),
        network_(spec_, first_, "test") {}

  Examples& examples() override { return graphs_; }

  std::optional<StepReport> step(std::uint64_t done) override {
    LabelledGraph& graph = graphs_.at(Rng(request_.seed).split(done).below(graphs_.size()));
    const GraphInput input = input_of(graph.view, graph.features);
    const torch::Tensor given = network_.forward(make_batch(std::span(&input, 1))).squeeze(1);
    const torch::Tensor wanted = to_tensor({.shape = {graph.labels.size()}, .values = graph.labels});
    const torch::Tensor loss = (given - wanted).pow(2).mean();
    loss.backward();
    adam_.step(network_.parameters(), request_.rate);
    losses.push_back(loss.item<double>());
    return StepReport{.figures = {{"loss", losses.back()}}, .line = "learns"};
  }

  Safetensors policy(std::uint64_t) const override {
    Safetensors policy = network_.save();
    policy.metadata = first_.metadata;
    return policy;
  }
  Safetensors state() const override {
    Safetensors state = adam_.save();
    put_network(network_, state);
    return state;
  }
  void load(const Safetensors& state) override {
    adam_.load(state);
    network_ = network_in(state, spec_);
  }

  static inline std::vector<double> losses;

 private:
  TrainingRequest request_;
  Safetensors first_;
  NetworkSpec spec_;
  TorchNetwork network_;
  LabelledGraphs graphs_;
  Adam adam_;
};

const TrainerKind priority_trainer("test-regression", {.family = "test", .prefix = ""}, {FirstNetwork::drawn},
                                   [](const TrainingRequest& request, const TrainingData& data) {
                                     return std::unique_ptr<Trainer>(new PriorityTrainer(request, data));
                                   });

void train_priorities(const std::filesystem::path& out, std::uint64_t steps) {
  TrainingRequest request = small_request(out, steps);
  request.method = "test-regression";
  request.rate = 0.02;
  train(request, {.workloads = []() -> std::vector<Workload> { fail("nobody has asked for graphs"); }});
}

TEST(Plugin, TrainsFromItsOwnExamplesAndResumesExactly) {
  const TemporaryFolder whole, parts;
  PriorityTrainer::losses.clear();
  train_priorities(whole.path(), 40);
  const std::vector<double>& losses = PriorityTrainer::losses;
  ASSERT_EQ(losses.size(), 40U);
  EXPECT_LT(std::accumulate(losses.end() - 6, losses.end(), 0.0),
            0.5 * std::accumulate(losses.begin(), losses.begin() + 6, 0.0));
  train_priorities(parts.path(), 25);
  train_priorities(parts.path(), 40);
  for (const char* file : {"policy.safetensors", "checkpoint.safetensors"})
    EXPECT_EQ(read_safetensors(whole.path() / file).arrays, read_safetensors(parts.path() / file).arrays);
}

TEST(Plugin, ItsPolicyIsLoadedByKindAndGuidesASearchForPlans) {
  const TemporaryFolder folder;
  train_priorities(folder.path(), 5);
  const std::string file = folder.path() / "policy.safetensors";
  EXPECT_EQ(&Policy::load(file).kind(), &priority_policy);
  const Problem problem{.workload = synthetic_graphs("synthetic:family=layered,nodes=30-30,count=3,seed=9").front(),
                        .machine = load_machine("regal-2"),
                        .objective = Objective::peak_bytes};
  const std::unique_ptr<Task> task = make_task(problem, "place+schedule");
  const ObjectiveCost cost(problem);
  Search search(problem, *task, cost, undecided_plan(problem),
                {.budget = {.evaluations = 200}, .show_progress = false});
  const Score before = search.best();
  PriorityGuide::drawn = 0;
  make_optimizer("guided:policy=" + file)->run(search);
  EXPECT_GT(PriorityGuide::drawn, 0);
  EXPECT_LT(search.finish().score, before);
}

TEST(Plugin, TrainersOfPlansRefuseAPolicyThatMakesNone) {
  const TemporaryFolder folder;
  TrainingRequest request = small_request(folder.path(), 1);
  request.head = "test-priorities";
  EXPECT_THROW(train(request), InputError);
}

}  // namespace
}  // namespace hone::learn

// REGAL's training: its loss against differences and against what searches use, and a planted problem.

#include <gtest/gtest.h>

#include <fstream>

#include "base/child_process.h"
#include "base/error.h"
#include "learn/policy/drawn_problem_test.h"
#include "learn/policy/gene_anchors.h"
#include "learn/policy/policy.h"
#include "learn/policy/reference_order.h"
#include "learn/policy/unlearned_policy.h"
#include "learn/train/batch.h"
#include "learn/train/gene_loss.h"
#include "learn/train/gradient_test.h"
#include "learn/train/small_training_test.h"
#include "learn/train/torch_network.h"
#include "plan/machine/machine_file.h"

namespace hone::learn {
namespace {

GeneUse used_everywhere(std::size_t nodes) { return GeneUse(nodes, {1, 1, 1}); }

/// Networks with weights large enough to make a difference, feedback included.
Safetensors lively_genes(GeneOrder order) {
  Safetensors contents = gene_policy(order).draw_networks({.width = 8, .rounds = 2, .encoder = &edge_encoder}, 3);
  Rng rng(9);
  for (const char* name : {"head.weight", kGeneFeedback})
    if (contents.arrays.contains(name))
      for (float& value : contents.arrays.at(name).values) value = static_cast<float>(rng.normal());
  return contents;
}

/// What the loss needs of a graph besides outputs.
struct GeneGraph {
  explicit GeneGraph(std::uint64_t seed)
      : problem(drawn_problem(seed)), view(problem), features(gene_features_of(view, reference_order(view).places)) {}

  GeneExample drawn(double worth, std::uint64_t seed) const {
    Rng rng(seed);
    std::vector<float> anchors = first_anchors();
    for (float& term : anchors) term += kAnchorTrial * static_cast<float>(rng.normal());
    const GeneDistribution even(view, std::vector<float>(view.operations() * kGeneOutputs), {});
    return {std::move(anchors), even.draw(1, rng), worth};
  }

  Problem problem;
  GraphView view;
  GeneFeatures features;
};

torch::Tensor anchor_tensor(const std::vector<float>& values) {
  return to_tensor({.shape = {kAnchorParts, kGeneKinds, kAnchorTerms}, .values = values});
}

TEST(GeneLoss, ChancesAreThoseByWhichASearchDraws) {
  const GeneGraph graph(3);
  const GraphInput input = input_of(graph.view, graph.features);
  for (const GeneOrder order : {GeneOrder::independent, GeneOrder::autoregressive}) {
    const Safetensors contents = lively_genes(order);
    const Policy policy(contents, "test");
    const TorchNetwork network(policy.network(kGeneNetwork).spec(), contents, "test");
    const torch::Tensor rows = network.forward(make_batch(std::span(&input, 1)));
    const std::vector<float> evaluated = policy.network(kGeneNetwork).run(input);
    const NamedArray trained = to_array(rows);
    for (std::size_t i = 0; i < evaluated.size(); ++i) ASSERT_NEAR(trained.values[i], evaluated[i], 1e-5) << i;
    const GeneDistribution distribution(graph.view, policy);
    Rng rng(1);
    const std::vector<GeneChoice> choices = distribution.draw(1, rng);
    const torch::Tensor feedback = order == GeneOrder::autoregressive ? network.free(kGeneFeedback) : torch::Tensor();
    const GeneExample example{to_array(network.free(kGeneAnchors)).values, choices, 1};
    const GeneLoss loss = gene_loss({rows, network.free(kGeneAnchors), feedback, graph.features}, graph.view,
                                    std::span(&example, 1), used_everywhere(choices.size()));
    const auto nodes = static_cast<double>(choices.size());
    EXPECT_NEAR(loss.total.item<double>(), -distribution.log_chance(choices) / nodes, 2e-5 * kGeneHeads);
  }
}

TEST(GeneLoss, GradientsAreThoseOfDifferences) {
  const GeneGraph graph(4);
  const auto nodes = static_cast<std::int64_t>(graph.view.operations());
  torch::manual_seed(1);
  const torch::Tensor rows = torch::randn({nodes, kGeneOutputs}, torch::kDouble).requires_grad_();
  const torch::Tensor anchors = anchor_tensor(first_anchors()).to(torch::kDouble).requires_grad_();
  const std::vector<GeneExample> examples = {graph.drawn(0.7, 1), graph.drawn(-0.4, 2)};
  const GeneUse use = used_everywhere(graph.view.operations());
  const auto loss = [&](const torch::Tensor& feedback) {
    return gene_loss({rows, anchors, feedback, graph.features}, graph.view, examples, use);
  };
  expect_gradient("independent", {rows}, [&] { return loss({}).total; });
  expect_gradient("anchors", {anchors}, [&] { return loss({}).total; });
  expect_gradient("entropy", {rows}, [&] { return loss({}).entropy; });
  const torch::Tensor feedback = torch::randn({kGeneOutputs, kGeneSeen}, torch::kDouble).requires_grad_();
  const torch::Tensor gradient = torch::autograd::grad({loss(feedback).total}, {feedback})[0];
  const torch::NoGradGuard no_gradient;
  constexpr double kStep = 1e-6;
  for (const std::int64_t place : {0, 60, 1234, 5000}) {
    double& value = feedback.data_ptr<double>()[place];
    value += kStep;
    const double up = loss(feedback).total.item<double>();
    value -= 2 * kStep;
    EXPECT_NEAR(gradient.contiguous().data_ptr<double>()[place],
                (up - loss(feedback).total.item<double>()) / (2 * kStep), 1e-6)
        << place;
    value += kStep;
  }
}

TEST(GeneLoss, AnchorsFollowThoseThatWereBetter) {
  const GeneGraph graph(4);
  const torch::Tensor rows = torch::zeros({static_cast<std::int64_t>(graph.view.operations()), kGeneOutputs});
  const torch::Tensor anchors = anchor_tensor(first_anchors()).requires_grad_();
  GeneExample better = graph.drawn(1, 1), worse = graph.drawn(-1, 1);
  better.anchors = worse.anchors = first_anchors();
  better.anchors[1] += kAnchorTrial;
  worse.anchors[1] -= kAnchorTrial;
  const std::vector<GeneExample> examples = {better, worse};
  gene_loss({rows, anchors, {}, graph.features}, graph.view, examples, used_everywhere(graph.view.operations()))
      .total.backward();
  const std::vector<float> gradient = to_array(anchors.grad()).values;
  EXPECT_NEAR(gradient[1], -1 / kAnchorTrial, 1e-4);
  EXPECT_NEAR(gradient[0], 0, 1e-4);
}

TEST(GeneLoss, ChoicesThatDecideNothingAreNotLearnedFrom) {
  const GeneGraph graph(4);
  const std::unique_ptr<Task> task = make_task(graph.problem, "schedule");
  const GeneUse use = genes_in_use(*task, graph.view.operations());
  const torch::Tensor rows =
      torch::randn({static_cast<std::int64_t>(graph.view.operations()), kGeneOutputs}).requires_grad_();
  const GeneExample example = graph.drawn(1, 1);
  const torch::Tensor anchors = anchor_tensor(first_anchors()).requires_grad_();
  gene_loss({rows, anchors, {}, graph.features}, graph.view, std::span(&example, 1), use).total.backward();
  const auto gradient_of = [&](GeneKind kind) {
    const auto first = static_cast<std::int64_t>(gene_heads()[gene_head(kind, GeneAspect::mean)].first);
    return rows.grad().slice(1, first, first + static_cast<std::int64_t>(kKindOutputs)).abs().sum().item<double>();
  };
  EXPECT_GT(gradient_of(GeneKind::priority), 0);
  EXPECT_EQ(gradient_of(GeneKind::device), 0);
  EXPECT_EQ(gradient_of(GeneKind::transfer), 0);
  const auto anchor_gradient_of = [&](GeneKind kind) {
    return anchors.grad().select(1, static_cast<std::int64_t>(kind)).abs().sum().item<double>();
  };
  EXPECT_GT(anchor_gradient_of(GeneKind::priority), 0);
  EXPECT_EQ(anchor_gradient_of(GeneKind::device), 0);
}

/// A chain of operations, one after another.
Workload chain_of(std::size_t operations) {
  WorkloadBuilder builder("chain");
  std::vector<BufferId> buffers;
  for (std::size_t i = 0; i < operations; ++i) {
    buffers.push_back(builder.add_buffer({.bytes = 8}));
    builder.add_operation({.flops = 1e9},
                          i > 0 ? std::span<const BufferId>(&buffers[i - 1], 1) : std::span<const BufferId>(),
                          std::span(&buffers[i], 1));
  }
  return std::move(builder).build();
}

constexpr const char* kSlowAndQuick = R"(name = "slow-and-quick"
[[device]]
kind = "slow"
memory_bytes = 17_179_869_184
bytes_per_second = 732e9
launch_seconds = 0
[device.flops]
float = 1e12
[[device]]
kind = "quick"
memory_bytes = 17_179_869_184
bytes_per_second = 732e9
launch_seconds = 0
[device.flops]
float = 20e12
[[link]]
from = "*"
to = "*"
free = true
)";

/// On a machine whose second device is 20 times as quick, everything belongs there, which a genetic algorithm of one
/// generation cannot know.
class PlantedProblem : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Regal, PlantedProblem, testing::Values("genes", "genes-autoregressive"));

TEST_P(PlantedProblem, IsLearned) {
  const TemporaryFolder folder;
  const std::filesystem::path machine = folder.path() / "slow-and-quick.toml";
  std::ofstream(machine) << kSlowAndQuick;
  TrainingRequest request = small_request(folder.path() / "trained", 60);
  request.method = "regal";
  request.head = GetParam();
  request.objective = "seconds";
  request.machine = machine;
  request.graphs = 2;
  request.samples = 12;
  request.rate = 0.05;
  request.evaluations = 60;
  train(request, {.workloads = [] { return std::vector<Workload>{chain_of(16), chain_of(24)}; }});
  const Policy policy = Policy::load(request.out / "policy.safetensors");
  EXPECT_EQ(policy.kind().name(), GetParam());
  const Problem unseen{.workload = chain_of(40), .machine = load_machine(machine), .objective = Objective::seconds};
  const GraphView view(unseen);
  Rng rng(1);
  double mean = 0;
  for (const GeneChoice& choice : GeneDistribution(view, policy).draw(0, rng))
    mean += kGeneMeans[choice[gene_head(GeneKind::device, GeneAspect::mean)]] / 40;
  EXPECT_GT(mean, 0.75);
}

TEST(GeneTrainer, WithoutAStepThePolicyIsThatOfZeroSteps) {
  const TemporaryFolder folder;
  TrainingRequest request = small_request(folder.path(), 0);
  request.method = "regal";
  request.evaluations = 20;
  train(request);
  const Safetensors trained = read_safetensors(folder.path() / "policy.safetensors");
  const PolicyForm form{&gene_policy(GeneOrder::independent),
                        {.width = request.width, .rounds = request.rounds, .encoder = &edge_encoder}};
  EXPECT_EQ(trained.arrays, unlearned_policy("zero-step", form, Objective::peak_bytes).arrays);
  EXPECT_EQ(trained.metadata.at("head"), "genes");
  EXPECT_EQ(trained.metadata.at("encoder"), "edges");
  EXPECT_EQ(trained.metadata.at("method"), "regal");
}

TEST(GeneTrainer, RefusesPoliciesOfAnotherKindAndOtherAlgorithms) {
  const TemporaryFolder folder;
  TrainingRequest request = small_request(folder.path(), 1);
  request.method = "regal";
  request.head = "independent";
  EXPECT_THROW(train(request), InputError);
  request.head = "genes";
  request.algorithm = "ppo";
  EXPECT_THROW(train(request), InputError);
}

}  // namespace
}  // namespace hone::learn

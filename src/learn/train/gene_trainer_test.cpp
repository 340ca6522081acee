// REGAL's training: its loss against differences and against what searches use, and a planted problem.

#include <gtest/gtest.h>

#include <fstream>

#include "base/child_process.h"
#include "base/error.h"
#include "learn/policy/drawn_problem_test.h"
#include "learn/policy/features.h"
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

TEST(GeneLoss, ChancesAreThoseByWhichASearchDraws) {
  const Problem problem = drawn_problem(3);
  const GraphView view(problem);
  const Features features = features_of(view, reference_order(view).places);
  const GraphInput input = input_of(view, features);
  for (const GeneOrder order : {GeneOrder::independent, GeneOrder::autoregressive}) {
    const Safetensors contents = lively_genes(order);
    const Policy policy(contents, "test");
    const TorchNetwork network(policy.network(kGeneNetwork).spec(), contents, "test");
    const torch::Tensor rows = network.forward(make_batch(std::span(&input, 1)));
    const std::vector<float> evaluated = policy.network(kGeneNetwork).run(input);
    const NamedArray trained = to_array(rows);
    for (std::size_t i = 0; i < evaluated.size(); ++i) ASSERT_NEAR(trained.values[i], evaluated[i], 1e-5) << i;
    const GeneDistribution distribution(view, policy);
    Rng rng(1);
    const std::vector<GeneChoice> choices = distribution.draw(1, rng);
    const torch::Tensor feedback = order == GeneOrder::autoregressive ? network.free(kGeneFeedback) : torch::Tensor();
    const GeneExample example{choices, 1};
    const GeneLoss loss = gene_loss(rows, feedback, view, std::span(&example, 1), used_everywhere(choices.size()));
    const auto nodes = static_cast<double>(choices.size());
    EXPECT_NEAR(loss.total.item<double>(), -distribution.log_chance(choices) / nodes, 1e-5 * kGeneHeads);
  }
}

TEST(GeneLoss, GradientsAreThoseOfDifferences) {
  const Problem problem = drawn_problem(4);
  const GraphView view(problem);
  const auto nodes = static_cast<std::int64_t>(view.operations());
  torch::manual_seed(1);
  const torch::Tensor rows = torch::randn({nodes, kGeneOutputs}, torch::kDouble).requires_grad_();
  const torch::Tensor feedback = torch::randn({kGeneOutputs, kGeneSeen}, torch::kDouble).requires_grad_();
  Rng rng(1);
  const GeneDistribution even(view, std::vector<float>(view.operations() * kGeneOutputs), {});
  const std::vector<GeneExample> examples = {{even.draw(1, rng), 0.7}, {even.draw(1, rng), -0.4}};
  const GeneUse use = used_everywhere(view.operations());
  expect_gradient("independent", {rows}, [&] { return gene_loss(rows, {}, view, examples, use).total; });
  expect_gradient("entropy", {rows}, [&] { return gene_loss(rows, {}, view, examples, use).entropy; });
  const torch::Tensor few = feedback.detach().slice(1, 0, kGeneSeen).clone().requires_grad_();
  const torch::Tensor gradient = torch::autograd::grad({gene_loss(rows, few, view, examples, use).total}, {few})[0];
  const torch::NoGradGuard no_gradient;
  constexpr double kStep = 1e-6;
  for (const std::int64_t place : {0, 60, 1234, 5000}) {
    double& value = few.data_ptr<double>()[place];
    const auto total = [&] { return gene_loss(rows, few, view, examples, use).total.item<double>(); };
    value += kStep;
    const double up = total();
    value -= 2 * kStep;
    EXPECT_NEAR(gradient.contiguous().data_ptr<double>()[place], (up - total()) / (2 * kStep), 1e-6) << place;
    value += kStep;
  }
}

TEST(GeneLoss, ChoicesThatDecideNothingAreNotLearnedFrom) {
  const Problem problem = drawn_problem(4);
  const GraphView view(problem);
  const std::unique_ptr<Task> task = make_task(problem, "schedule");
  const GeneUse use = genes_in_use(*task, view.operations());
  const torch::Tensor rows =
      torch::randn({static_cast<std::int64_t>(view.operations()), kGeneOutputs}).requires_grad_();
  Rng rng(1);
  const GeneExample example{
      GeneDistribution(view, std::vector<float>(view.operations() * kGeneOutputs), {}).draw(1, rng), 1};
  gene_loss(rows, {}, view, std::span(&example, 1), use).total.backward();
  const auto gradient_of = [&](GeneKind kind) {
    const auto first = static_cast<std::int64_t>(gene_heads()[gene_head(kind, GeneAspect::mean)].first);
    return rows.grad().slice(1, first, first + static_cast<std::int64_t>(kKindOutputs)).abs().sum().item<double>();
  };
  EXPECT_GT(gradient_of(GeneKind::priority), 0);
  EXPECT_EQ(gradient_of(GeneKind::device), 0);
  EXPECT_EQ(gradient_of(GeneKind::transfer), 0);
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

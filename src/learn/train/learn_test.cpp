// Training against slow code that is obviously right.

#include <gtest/gtest.h>

#include "base/child_process.h"
#include "base/random.h"
#include "learn/policy/plan_sampler.h"
#include "learn/train/adam.h"
#include "learn/train/decision_examples.h"
#include "learn/train/move_examples.h"
#include "learn/train/small_training_test.h"
#include "learn/train/torch_network.h"
#include "learn/train/training_graph.h"
#include "plan/machine/machine_file.h"

namespace hone::learn {
namespace {

std::unique_ptr<WorkloadExamples> graphs_of(const TrainingRequest& request) {
  auto graphs = std::make_unique<WorkloadExamples>(request, synthetic_graphs(request.data.front()));
  graphs->prepare();
  return graphs;
}

/// What the first or second network of a policy that makes plans is like in a file.
NetworkSpec spec_in(const Safetensors& contents, std::string_view name) {
  for (const PolicyKind::Part& part : stepwise_policy().parts())
    if (part.name == name) return part.describe(shape_in(contents, part.describe({}).prefix, "test"));
  return {};
}

TorchNetwork network_of(const Safetensors& contents, std::string_view name) {
  return {spec_in(contents, name), contents, "test"};
}

Safetensors drawn(const NetworkShape& shape, std::uint64_t seed) {
  return stepwise_policy().draw_networks(shape, seed);
}

/// One graph as a batch.
Batch batch_of(const TrainingGraph& graph) {
  const GraphInput input = graph.input();
  return make_batch(std::span(&input, 1));
}

LogitWeights weights_of(const Safetensors& contents, const TrainingGraph& graph) {
  return plan_weights(Network(spec_in(contents, kPlanNetwork), contents, "test"), graph.input());
}

class Encoders : public testing::TestWithParam<const EncoderKind*> {};
INSTANTIATE_TEST_SUITE_P(PolicyNetwork, Encoders, testing::Values(&message_encoder, &edge_encoder, &sequence_encoder));

TEST_P(Encoders, AgreeWithPlainInferenceAndBatchLikeOneByOne) {
  const auto graphs = graphs_of(small_request("", 0));
  const Safetensors contents = drawn({.width = 8, .rounds = 2, .encoder = GetParam()}, 3);
  const TorchNetwork network = network_of(contents, kPlanNetwork);
  const Network plain(spec_in(contents, kPlanNetwork), contents, "test");
  std::vector<GraphInput> inputs;
  for (std::size_t i = 0; i < graphs->size(); ++i) inputs.push_back(graphs->at(i).input());
  const Batch batch = make_batch(inputs);
  const torch::Tensor all = network.forward(batch);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const torch::Tensor alone = network.forward(make_batch(std::span(&inputs[i], 1)));
    EXPECT_TRUE(torch::allclose(batch.rows_of(all, i), alone, 1e-4, 1e-5));
    const std::vector<float> values = to_array(alone).values, expected = plain.run(inputs[i]);
    ASSERT_EQ(values.size(), expected.size());
    for (std::size_t k = 0; k < values.size(); ++k) ASSERT_NEAR(values[k], expected[k], 1e-5);
  }
}

TEST_P(Encoders, GradientIsThatOfDifferences) {
  const auto graphs = graphs_of(small_request("", 0));
  const TrainingGraph& graph = graphs->at(0);
  Safetensors contents = drawn({.width = 4, .rounds = 1, .encoder = GetParam()}, 3);
  Construction construction(graph.view);
  Rng rng(1);
  Trace trace;
  construction.build(weights_of(contents, graph), graph.first, 1, rng, &trace);
  const Batch batch = batch_of(graph);
  DecisionExamples examples;
  examples.add(trace, 0, 10.0);
  const auto loss = [&](const TorchNetwork& network) {
    return examples.loss(network.forward(batch), network.free(kWaitArray), 0.5).total;
  };
  TorchNetwork network = network_of(contents, kPlanNetwork);
  loss(network).backward();
  const char* inner = GetParam() == &sequence_encoder ? "round0.backward.state"
                      : GetParam() == &edge_encoder   ? "round0.edge.weight"
                                                      : "round0.before";
  for (const char* name : {"head.bias", "wait", inner}) {
    constexpr float kStep = 1e-2F;
    Safetensors up = contents, down = contents;
    up.arrays[name].values[1] += kStep;
    down.arrays[name].values[1] -= kStep;
    const double slope =
        (loss(network_of(up, kPlanNetwork)).item<double>() - loss(network_of(down, kPlanNetwork)).item<double>()) /
        (2 * kStep);
    EXPECT_NEAR(to_array(network.parameters().at(name).grad()).values[1], slope, 0.02 * std::abs(slope) + 2e-3) << name;
  }
}

TEST(Reinforce, AdvantagesAreStandardised) {
  const std::vector<double> worth = advantages({1, 2, 3, 6});
  EXPECT_NEAR(worth[0] + worth[1] + worth[2] + worth[3], 0, 1e-9);
  EXPECT_GT(worth[3], worth[2]);
  EXPECT_EQ(advantages({2, 2}), (std::vector<double>{0, 0}));
}

TEST(Training, ResumesExactly) {
  const TemporaryFolder whole, parts;
  train(small_request(whole.path(), 6));
  train(small_request(parts.path(), 3));
  train(small_request(parts.path(), 6));
  EXPECT_EQ(read_safetensors(whole.path() / "policy.safetensors").arrays,
            read_safetensors(parts.path() / "policy.safetensors").arrays);
}

TEST(MoveExamples, GradientIsThatOfDifferences) {
  const auto graphs = graphs_of(small_request("", 0));
  const TrainingGraph& graph = graphs->at(0);
  const Safetensors contents = drawn({.width = 4, .rounds = 1}, 3);
  const MoveWeights blind{std::vector<float>(kMoveFeatures)};
  MoveExamples examples;
  for (const Offers& offers : collect_offers(graph, blind, undecided_plan(graph.problem), Rng(2)))
    examples.add(offers, 0);
  ASSERT_GT(examples.count(), 0);
  const Batch batch = batch_of(graph);
  const auto loss = [&](const TorchNetwork& network) { return examples.loss(network.forward(batch)).total; };
  TorchNetwork network = network_of(contents, kMoveNetwork);
  loss(network).backward();
  for (const char* name : {"moves.head.bias", "moves.round0.before"}) {
    constexpr float kStep = 1e-2F;
    Safetensors up = contents, down = contents;
    up.arrays[name].values[5] += kStep;
    down.arrays[name].values[5] -= kStep;
    const double slope =
        (loss(network_of(up, kMoveNetwork)).item<double>() - loss(network_of(down, kMoveNetwork)).item<double>()) /
        (2 * kStep);
    EXPECT_NEAR(to_array(network.parameters().at(name).grad()).values[5], slope, 0.02 * std::abs(slope) + 2e-3) << name;
  }
}

TEST(MoveTraining, ResumesExactlyAndLeavesTheNetworkForPlansAlone) {
  const TemporaryFolder whole, parts;
  const auto request = [](const std::filesystem::path& out, std::uint64_t steps) {
    TrainingRequest made = small_request(out, steps);
    made.method = "guided-moves";
    return made;
  };
  train(request(whole.path(), 4));
  train(request(parts.path(), 2));
  train(request(parts.path(), 4));
  const auto arrays = read_safetensors(whole.path() / "policy.safetensors").arrays;
  EXPECT_EQ(arrays, read_safetensors(parts.path() / "policy.safetensors").arrays);
  const auto first = drawn({.width = 8, .rounds = 2}, 1).arrays;
  EXPECT_EQ(arrays.at("head.weight"), first.at("head.weight"));
  EXPECT_NE(arrays.at("moves.head.weight"), first.at("moves.head.weight"));
}

TEST(Training, MakesPlansOfAGraphBetter) {
  const TemporaryFolder folder;
  TrainingRequest request = small_request(folder.path(), 60);
  request.data = {"synthetic:family=layered,nodes=40-40,count=3,seed=4"};
  request.samples = 12;
  request.rate = 0.02;
  train(request);
  const auto graphs = graphs_of(request);
  const auto mean_cost = [&](const Safetensors& contents) {
    TrainingGraph& graph = graphs->at(0);
    const Assignment assignment{.graph = &graph, .weights = weights_of(contents, graph)};
    double sum = 0;
    const auto rollouts = roll_out(stepwise_policy(), {assignment}, 40, 1, Rng(5));
    for (const Rollout& rollout : rollouts.front()) sum += rollout.value;
    return sum / 40;
  };
  EXPECT_LT(mean_cost(read_safetensors(folder.path() / "policy.safetensors")), mean_cost(drawn({.width = 8}, 1)));
}

}  // namespace
}  // namespace hone::learn

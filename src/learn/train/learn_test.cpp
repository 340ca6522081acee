// Training against slow code that is obviously right.

#include <gtest/gtest.h>

#include "base/child_process.h"
#include "base/random.h"
#include "learn/policy/plan_sampler.h"
#include "learn/train/layers.h"
#include "learn/train/move_lessons.h"
#include "learn/train/reinforce.h"
#include "learn/train/small_training_test.h"
#include "plan/machine/machine_file.h"

namespace hone::learn {
namespace {

std::vector<std::unique_ptr<TrainingGraph>> graphs_of(const TrainingRequest& request) {
  return make_training_graphs(request, synthetic_graphs(request.data.front()));
}

Taste plan_taste(const Safetensors& contents, const TrainingGraph& graph) {
  return {.weights = Network(contents, "", kSights, "test").weights(graph.view, graph.features)};
}

class Encoders : public testing::TestWithParam<Encoder> {};
INSTANTIATE_TEST_SUITE_P(PolicyNetwork, Encoders, testing::Values(Encoder::messages, Encoder::sequence));

TEST_P(Encoders, AgreeWithPlainInferenceAndBatchLikeOneByOne) {
  const auto graphs = graphs_of(small_request("", 0));
  const Safetensors contents = untrained_networks({.width = 8, .rounds = 2, .encoder = GetParam()}, 3);
  const PolicyNetwork network(contents, PolicyNetwork::Purpose::plans);
  std::vector<const GraphView*> views;
  std::vector<const Features*> features;
  for (const auto& graph : graphs) {
    views.push_back(&graph->view);
    features.push_back(&graph->features);
  }
  const torch::Tensor all = network.weights(make_batch(views, features));
  std::int64_t row = 0;
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    const torch::Tensor alone = network.weights(make_batch(std::span(&views[i], 1), std::span(&features[i], 1)));
    const std::vector<float> plain = Network(contents, "", kSights, "test").weights(*views[i], *features[i]);
    EXPECT_TRUE(torch::allclose(all.slice(0, row, row + alone.size(0)), alone, 1e-4, 1e-5));
    const std::vector<float> values = to_array(alone).values;
    ASSERT_EQ(values.size(), plain.size());
    for (std::size_t k = 0; k < values.size(); ++k) ASSERT_NEAR(values[k], plain[k], 1e-4);
    row += alone.size(0);
  }
}

TEST_P(Encoders, GradientIsThatOfDifferences) {
  const auto graphs = graphs_of(small_request("", 0));
  const TrainingGraph& graph = *graphs.front();
  Safetensors contents = untrained_networks({.width = 4, .rounds = 1, .encoder = GetParam()}, 3);
  Construction construction(graph.view);
  Rng rng(1);
  Trace trace;
  construction.build(plan_taste(contents, graph), graph.first, 1, rng, &trace);
  const GraphView* view = &graph.view;
  const Features* features = &graph.features;
  const Batch batch = make_batch(std::span(&view, 1), std::span(&features, 1));
  Lessons lessons;
  lessons.add(trace, 0, 10.0);
  const auto loss = [&](const PolicyNetwork& network) {
    return lessons.loss(network.weights(batch), network.wait(), 0.5).total;
  };
  PolicyNetwork network(contents, PolicyNetwork::Purpose::plans);
  loss(network).backward();
  const char* inner = GetParam() == Encoder::sequence ? "round0.backward.state" : "round0.before";
  for (const char* name : {"head.bias", "wait", inner}) {
    constexpr float kStep = 1e-2F;
    Safetensors up = contents, down = contents;
    up.arrays[name].values[1] += kStep;
    down.arrays[name].values[1] -= kStep;
    const double slope = (loss(PolicyNetwork(up, PolicyNetwork::Purpose::plans)).item<double>() -
                          loss(PolicyNetwork(down, PolicyNetwork::Purpose::plans)).item<double>()) /
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

TEST(MoveLessons, GradientIsThatOfDifferences) {
  const auto graphs = graphs_of(small_request("", 0));
  const TrainingGraph& graph = *graphs.front();
  const Safetensors contents = untrained_networks({.width = 4, .rounds = 1}, 3);
  const MoveTaste blind{std::vector<float>(kMoveSights)};
  MoveLessons lessons;
  for (const Offers& offers : collect_offers(graph, blind, undecided_plan(graph.problem), Rng(2)))
    lessons.add(offers, 0);
  ASSERT_GT(lessons.count(), 0);
  const GraphView* view = &graph.view;
  const Features* features = &graph.features;
  const Batch batch = make_batch(std::span(&view, 1), std::span(&features, 1));
  const auto loss = [&](const PolicyNetwork& network) { return lessons.loss(network.weights(batch)).total; };
  PolicyNetwork network(contents, PolicyNetwork::Purpose::moves);
  loss(network).backward();
  for (const char* name : {"moves.head.bias", "moves.round0.before"}) {
    constexpr float kStep = 1e-2F;
    Safetensors up = contents, down = contents;
    up.arrays[name].values[5] += kStep;
    down.arrays[name].values[5] -= kStep;
    const double slope = (loss(PolicyNetwork(up, PolicyNetwork::Purpose::moves)).item<double>() -
                          loss(PolicyNetwork(down, PolicyNetwork::Purpose::moves)).item<double>()) /
                         (2 * kStep);
    EXPECT_NEAR(to_array(network.parameters().at(name).grad()).values[5], slope, 0.02 * std::abs(slope) + 2e-3) << name;
  }
}

TEST(MoveTraining, ResumesExactlyAndLeavesTheNetworkForPlansAlone) {
  const TemporaryFolder whole, parts;
  const auto request = [](const std::filesystem::path& out, std::uint64_t steps) {
    TrainingRequest made = small_request(out, steps);
    made.method = "regal-moves";
    return made;
  };
  train(request(whole.path(), 4));
  train(request(parts.path(), 2));
  train(request(parts.path(), 4));
  const auto arrays = read_safetensors(whole.path() / "policy.safetensors").arrays;
  EXPECT_EQ(arrays, read_safetensors(parts.path() / "policy.safetensors").arrays);
  const auto first = untrained_networks({.width = 8, .rounds = 2}, 1).arrays;
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
    const TrainingGraph& graph = *graphs.front();
    Assignment assignment{.taste = plan_taste(contents, graph)};
    double sum = 0;
    const auto rollouts = roll_out(graphs, {assignment}, 40, 1, Rng(5));
    for (const Rollout& rollout : rollouts.front()) sum += rollout.value;
    return sum / 40;
  };
  EXPECT_LT(mean_cost(read_safetensors(folder.path() / "policy.safetensors")),
            mean_cost(untrained_networks({.width = 8}, 1)));
}

}  // namespace
}  // namespace hone::learn

#include <gtest/gtest.h>

#include <cmath>

#include "base/child_process.h"
#include "learn/advantage/advantage_model.h"
#include "learn/train/adam.h"
#include "learn/train/advantage_network.h"
#include "learn/train/small_training_test.h"
#include "plan/fuse/random_loops_test.h"

namespace hone::learn {
namespace {

/// A graph with decisions of a task.
struct DecidedGraph {
  explicit DecidedGraph(std::uint64_t seed)
      : rng(seed), problem(random_loops(rng, 40)), start(undecided_plan(problem)) {
    problem.objective = Objective::seconds;
  }

  Rng rng;
  Problem problem;
  Plan start;
  std::unique_ptr<Task> task = make_task(problem, "fuse-edges", start);
  DecisionUnits units{problem, *task};
  AdvantageFeatures features{problem, *task, units, start};
};

/// All that can be changed at random decisions, with labels that follow from what can be seen of each.
AdvantageExample planted_example(std::uint64_t seed) {
  DecidedGraph graph(seed);
  Decisions row(graph.task->sites().size());
  for (float& key : row) key = static_cast<float>(graph.rng.uniform());
  graph.features.set(row);
  std::vector<std::uint32_t> all(graph.units.size());
  std::iota(all.begin(), all.end(), 0U);
  AdvantageExample example;
  example.view = graph.features.view(all, 2);
  for (std::size_t i = 0; i < example.view.candidates.size(); ++i) {
    const float* own = example.view.candidate_rows.data() + i * kCandidateColumns;
    example.labels.push_back(2 * own[kEstimateColumn] - own[2] + 0.5F * own[3]);
  }
  return example;
}

Safetensors small_advantage_policy(bool with_rule) {
  Safetensors policy = advantage_policy().draw_networks({.width = 8, .rounds = 2}, 3);
  if (with_rule) advantage_policy().set_first_rule(policy, Objective::seconds);
  return policy;
}

std::vector<std::int64_t> all_of(const AdvantageExample& example) {
  std::vector<std::int64_t> all(example.labels.size());
  std::iota(all.begin(), all.end(), std::int64_t{0});
  return all;
}

TEST(AdvantageNetwork, LearnsAPlantedCostExactly) {
  std::vector<AdvantageExample> examples;
  for (std::uint64_t seed = 0; seed < 4; ++seed) examples.push_back(planted_example(seed));
  AdvantageNetwork network(small_advantage_policy(true), "test");
  Adam adam;
  for (std::size_t step = 0; step < 1500; ++step) {
    const AdvantageExample* one = &examples[step % 3];
    const std::vector<std::int64_t> drawn = all_of(*one);
    network.loss(std::span(&one, 1), std::span(&drawn, 1)).backward();
    std::map<std::string, torch::Tensor> parameters = network.parameters();
    adam.step(parameters, step < 1000 ? 0.01 : 0.001);
  }
  const AdvantageExample* unseen = &examples[3];
  const std::vector<float> given = to_array(network.predict(std::span(&unseen, 1))).values;
  std::vector<float> predicted;
  for (std::size_t i = 0; i < given.size(); i += kAdvantageOutputs) predicted.push_back(given[i]);
  const AdvantageCalibration found = calibration_of(predicted, unseen->labels);
  EXPECT_GT(found.explained, 0.99);
  EXPECT_GT(found.sign, 0.99);
}

TEST(AdvantageNetwork, SaysTheSameAsThePolicyOfASearch) {
  const Safetensors contents = small_advantage_policy(false);
  const Policy policy(contents, "test");
  const AdvantageModel model(policy);
  DecidedGraph graph(5);
  graph.features.set(graph.task->encode(graph.start));
  std::vector<std::uint32_t> all(graph.units.size());
  std::iota(all.begin(), all.end(), 0U);
  const AdvantageModel::Judged judged = model.judge(graph.features, all);
  const AdvantageExample example{.view = graph.features.view(all, 2)};
  const AdvantageExample* one = &example;
  const std::vector<float> given = to_array(AdvantageNetwork(contents, "test").predict(std::span(&one, 1))).values;
  ASSERT_EQ(given.size(), judged.candidates.size() * kAdvantageOutputs);
  for (std::size_t i = 0; i < judged.candidates.size(); ++i) {
    const auto basis = std::span(judged.bases).subspan(i * model.basis_size(), model.basis_size());
    for (const AdvantageOutput output : {AdvantageOutput::advantage, AdvantageOutput::magnitude})
      EXPECT_NEAR(model.predict(basis, output), given[2 * i + static_cast<std::size_t>(output)], 1e-4);
  }
}

/// Against differences, for an entry or two of every array.
TEST(AdvantageNetwork, ItsLossHasTheRightGradient) {
  const AdvantageExample example = planted_example(8);
  const AdvantageExample* one = &example;
  const std::vector<std::int64_t> drawn = all_of(example);
  AdvantageNetwork network(small_advantage_policy(false), "test");
  const auto loss = [&] { return network.loss(std::span(&one, 1), std::span(&drawn, 1)); };
  loss().backward();
  const torch::NoGradGuard no_gradient;
  std::size_t checked = 0;
  for (auto& [name, parameter] : network.parameters()) {
    ASSERT_TRUE(parameter.grad().defined()) << name;
    const torch::Tensor gradient = parameter.grad().contiguous();
    for (const std::int64_t entry : {std::int64_t{0}, parameter.numel() / 2}) {
      constexpr float kStep = 5e-3F;
      float* value = parameter.data_ptr<float>() + entry;
      const float before = *value;
      *value = before + kStep;
      const double up = loss().item<double>();
      *value = before - kStep;
      const double down = loss().item<double>();
      *value = before;
      const double wanted = (up - down) / (2 * kStep), given = gradient.data_ptr<float>()[entry];
      EXPECT_NEAR(given, wanted, 0.02 * std::abs(wanted) + 2e-3) << name << " at " << entry;
      ++checked;
    }
  }
  EXPECT_GT(checked, 20U);
}

TEST(AdvantageExamples, HalfAreDrawnFromTheLargest) {
  AdvantageExample example;
  example.labels.resize(100);
  example.largest = {3, 7};
  Rng rng(1);
  std::size_t large = 0;
  for (const std::int64_t drawn : AdvantageExamples::draw(example, 5000, rng))
    large += drawn == 3 || drawn == 7 ? 1 : 0;
  EXPECT_NEAR(static_cast<double>(large) / 5000, 0.51, 0.03);
}

TEST(AdvantageTrainer, GoesOnToTheSamePolicy) {
  const TemporaryFolder whole, parts;
  const auto run = [](const std::filesystem::path& out, std::uint64_t steps, std::size_t threads) {
    TrainingRequest request = small_request(out, steps);
    request.method = "advantage";
    request.machine = "h200-1";
    request.objective = "seconds";
    request.evaluations = 200;
    request.threads = threads;
    train(request, {.workloads = [] {
            Rng rng(4);
            std::vector<Workload> graphs;
            for (int i = 0; i < 3; ++i) graphs.push_back(random_loops(rng, 30).workload);
            return graphs;
          }});
  };
  run(whole.path(), 8, 2);
  run(parts.path(), 5, 1);
  run(parts.path(), 8, 1);
  for (const char* file : {"policy.safetensors", "checkpoint.safetensors"})
    EXPECT_EQ(read_safetensors(whole.path() / file).arrays, read_safetensors(parts.path() / file).arrays);
  EXPECT_EQ(&Policy::load(whole.path() / "policy.safetensors").kind(), &advantage_policy());
}

}  // namespace
}  // namespace hone::learn

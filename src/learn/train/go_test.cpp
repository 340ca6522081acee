#include <gtest/gtest.h>

#include <cmath>

#include "base/child_process.h"
#include "learn/policy/unlearned_policy.h"
#include "learn/train/go_examples.h"
#include "learn/train/small_training_test.h"
#include "plan/machine/machine_file.h"
#include "plan/solve/solve.h"

namespace hone::learn {
namespace {

TrainingRequest go_request(const std::filesystem::path& out, std::uint64_t steps) {
  TrainingRequest request = small_request(out, steps);
  request.method = "go";
  request.machine = "p100-4";
  request.objective = "seconds";
  request.evaluations = 20;
  request.samples = 3;
  return request;
}

Safetensors unlearned_go_contents() {
  Safetensors contents = unlearned_policy(
      "untrained", {&go_policy(), {.width = 8, .rounds = 2, .encoder = &sage_encoder}}, Objective::seconds);
  for (auto& [name, array] : contents.arrays)  // heads that say nothing would hide what is before them
    if (name.ends_with("head.weight") || name == "place.head" || name == "place.leave")
      for (float& value : array.values) value *= 30;
  return contents;
}

/// A graph with a chain drawn for it.
struct Lesson {
  explicit Lesson(std::string_view tasks)
      : contents(unlearned_go_contents()),
        policy(contents, "test"),
        network(policy),
        example({.workload = synthetic_graphs("synthetic:family=mixed,nodes=15-25,count=10,seed=4").front(),
                 .machine = load_machine("p100-2"),
                 .objective = Objective::seconds},
                tasks, GoAbout::everything),
        embedded(network.encode(example.view, example.graph.features)) {
    Rng rng(3);
    Plan plan = example.start;
    const auto trace = [&](const Decisions& row) {
      example.task->apply(row, plan);
      return example.cost.trace(plan);
    };
    for (int i = 0; i < 3; ++i) chains.push_back(draw_chain(example.graph, network, embedded, trace, 2, rng));
    for (std::vector<GoStep>& chain : chains)  // as if there were something to fuse in such graphs
      for (GoStep& step : chain) step.choice.fuse.assign(example.view.operations(), 1);
  }

  Safetensors contents;
  Policy policy;
  GoNetwork network;
  GoExample example;
  std::vector<float> embedded;
  std::vector<std::vector<GoStep>> chains;
};

void expect_same(const torch::Tensor& tensor, const std::vector<float>& plain) {
  const std::vector<float> values = to_array(tensor).values;
  ASSERT_EQ(values.size(), plain.size());
  for (std::size_t i = 0; i < plain.size(); ++i) ASSERT_NEAR(values[i], plain[i], 1e-5 * (1 + std::abs(plain[i]))) << i;
}

TEST(GoTorch, ComputesWhatTheEvaluatorDoesAlsoWithoutAPart) {
  const Lesson lesson("place+schedule");
  for (const char* without : {"", "attention", "superposition", "recurrence"}) {
    Safetensors contents = lesson.contents;
    contents.metadata[kGoWithoutEntry] = without;
    const Policy policy(contents, "test");
    const GoNetwork network(policy);
    const GoTorch torch(contents, "test", torch::kCPU);
    const torch::Tensor embedded = torch.encode(lesson.example.graph.batch);
    expect_same(embedded, lesson.embedded);
    for (const GoStep& step : lesson.chains.front()) {
      const GoTorch::Scores scores = torch.decide(lesson.example.view, lesson.example.graph.batch, embedded, step);
      const GoScores plain = network.decide(lesson.example.view, lesson.embedded, step.sight, {.fuse = true});
      expect_same(scores.place, plain.place);
      expect_same(scores.schedule, plain.schedule);
      expect_same(scores.fuse, plain.fuse);
      expect_same(scores.graph, plain.graph);
    }
  }
}

TEST(GoLoss, GradientIsThatOfDifferences) {
  const Lesson lesson("place+schedule");
  const GoExperience experience{&lesson.chains.front()[1], 1.5, {}};
  const auto loss_of = [&](const GoTorch& torch, const GoExperience& one) {
    const torch::Tensor embedded = torch.encode(lesson.example.graph.batch);
    return go_loss(torch.decide(lesson.example.view, lesson.example.graph.batch, embedded, *one.step), one,
                   {.entropy = 0.5});
  };
  GoTorch torch(lesson.contents, "test", torch::kCPU);
  const GoLoss loss = loss_of(torch, experience);
  loss.total.backward();
  GoExperience known = experience;
  known.before = loss.chances.detached();
  for (const char* name : {"place.rule", "place.leave_bias", "schedule.head.bias", "fuse.head.bias", "graph.head.bias",
                           "decision.gate0.bias", "decision.attention.value.bias", "round0.self.bias"}) {
    constexpr float kStep = 3e-3F;
    Safetensors up = lesson.contents, down = lesson.contents;
    up.arrays.at(name).values.front() += kStep;
    down.arrays.at(name).values.front() -= kStep;
    const double slope = (loss_of(GoTorch(up, "test", torch::kCPU), known).total.item<double>() -
                          loss_of(GoTorch(down, "test", torch::kCPU), known).total.item<double>()) /
                         (2 * static_cast<double>(kStep));
    EXPECT_NEAR(to_array(torch.parameters().at(name).grad()).values.front(), slope, 0.05 * std::abs(slope) + 0.02)
        << name;
  }
}

TEST(GoLoss, AdvantagesCompareChainsOfAGraphPassByPass) {
  std::vector<std::vector<GoStep>> chains(2, std::vector<GoStep>(2));
  chains[0][0].after = {.excess = 0, .value = 4};
  chains[1][0].after = {.excess = 0, .value = 9};
  for (auto& chain : chains) chain[1].before = chain[0].after;
  chains[0][1].after = {.excess = 0, .value = 3};
  chains[1][1].after = {.excess = 1, .value = 1};  // does not fit
  const std::vector<std::vector<double>> worth = go_advantages(chains);
  EXPECT_GT(worth[0][0], worth[1][0]);
  EXPECT_GT(worth[0][1], worth[1][1]);
  EXPECT_NEAR(worth[0][1] + worth[1][1], 0, 1e-9);
}

TEST(GoTraining, ResumesExactlyAndGivesAPolicyThatCanBeUsed) {
  const TemporaryFolder whole, parts;
  train(go_request(whole.path(), 4));
  train(go_request(parts.path(), 3));
  train(go_request(parts.path(), 4));
  const std::filesystem::path policy = whole.path() / "policy.safetensors";
  EXPECT_EQ(read_safetensors(policy).arrays, read_safetensors(parts.path() / "policy.safetensors").arrays);
  EXPECT_EQ(&Policy::load(policy.string()).kind(), &go_policy());
}

TEST(GoTraining, MachinesLikeAnotherHaveTwoToEightDevices) {
  const Machine base = load_machine("p100-4");
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Rng rng(seed);
    const Machine machine = machine_like(base, rng);
    EXPECT_GE(machine.device_count(), 2U);
    EXPECT_LE(machine.device_count(), 8U);
    EXPECT_EQ(machine.routes.size(), machine.device_count() * machine.device_count());
  }
}

}  // namespace
}  // namespace hone::learn

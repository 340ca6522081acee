#include "learn/advantage/gibbs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "base/child_process.h"
#include "base/error.h"
#include "base/text_file.h"
#include "learn/advantage/advantage_data.h"
#include "plan/fuse/random_loops_test.h"
#include "plan/machine/machine_file.h"
#include "plan/solve/solve.h"

namespace hone {
namespace {

Problem small_problem(std::uint64_t seed, std::size_t operations) {
  Rng rng(seed);
  Problem problem = random_loops(rng, operations);
  problem.objective = Objective::seconds;
  return problem;
}

double cost_of(const Problem& problem, const Task& task, std::span<const float> row) {
  Plan plan = undecided_plan(problem);
  task.apply(row, plan);
  return evaluator_for(problem)->evaluate(plan).seconds;
}

/// By evaluating both sides of every label from nothing.
TEST(Gibbs, LabelsAreDifferencesOfCosts) {
  std::size_t labels = 0, reads_at_once = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const Problem problem = small_problem(seed, 14);
    const Plan start = undecided_plan(problem);
    const std::unique_ptr<Task> task = make_task(problem, seed % 2 == 0 ? "fuse-edges" : "fuse", start);
    const DecisionUnits units(problem, *task);
    const GibbsChain chain = sample_chain(problem, *task, units, *evaluator_for(problem), start,
                                          {.evaluations = 300, .block = 4, .seed = seed});
    for (const AdvantageSample& sample : chain.samples) {
      const Decisions& before = chain.configurations[sample.configuration];
      Decisions after = before;
      units.set(after, sample.unit, sample.option);
      const double now = cost_of(problem, *task, before);
      ASSERT_NEAR(sample.advantage, cost_of(problem, *task, after) - now, 1e-10 * now);
      reads_at_once += sample.unit >= units.single_count() ? 1 : 0;
    }
    labels += chain.samples.size();
  }
  EXPECT_GT(labels, 1000U);
  EXPECT_GT(reads_at_once, 50U);
}

/// How often each configuration is visited against exp(-cost / temperature).
TEST(Gibbs, VisitsConfigurationsByTheirWeight) {
  const Problem problem = small_problem(3, 9);
  const Plan start = undecided_plan(problem);
  const std::unique_ptr<Task> task = make_task(problem, "fuse", start);
  const DecisionUnits units(problem, *task);
  const std::size_t count = units.single_count();
  ASSERT_GE(count, 3U);
  ASSERT_LE(count, 8U);
  const double first = cost_of(problem, *task, task->encode(start));
  const double temperature = 2 * first / static_cast<double>(problem.workload.operation_count());
  std::vector<double> wanted;
  double sum = 0;
  for (std::size_t code = 0; code < std::size_t{1} << count; ++code) {
    Decisions row(count);
    for (std::size_t i = 0; i < count; ++i) row[i] = key_of(code >> i & 1U, 2);
    wanted.push_back(std::exp(-cost_of(problem, *task, row) / temperature));
    sum += wanted.back();
  }
  const GibbsChain chain = sample_chain(problem, *task, units, *evaluator_for(problem), start,
                                        {.evaluations = 240000, .temperature = 2, .block = 1, .seed = 7});
  std::vector<double> seen(wanted.size());
  for (const Decisions& row : chain.configurations) {
    std::size_t code = 0;
    for (std::size_t i = 0; i < count; ++i) code |= std::size_t{option_of(row[i], 2)} << i;
    seen[code] += 1 / static_cast<double>(chain.configurations.size());
  }
  double apart = 0, flat = 0;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    apart += std::abs(seen[i] - wanted[i] / sum) / 2;
    flat += std::abs(1 / static_cast<double>(seen.size()) - wanted[i] / sum) / 2;
  }
  EXPECT_LT(apart, 0.03);
  EXPECT_GT(flat, 0.1);  // else any sampler would do
}

AdvantageRequest small_data_request(std::size_t threads) {
  return {.tasks = "fuse-edges",
          .machine = "h200-1",
          .objective = "seconds",
          .evaluations = 400,
          .seed = 5,
          .threads = threads};
}

std::vector<Workload> small_graphs() {
  std::vector<Workload> graphs;
  for (std::uint64_t seed = 0; seed < 3; ++seed) graphs.push_back(small_problem(seed, 20).workload);
  return graphs;
}

std::map<std::string, std::string> files_in(const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    files[entry.path().filename().string()] = std::string(read_text_file(entry.path()).text);
  return files;
}

TEST(AdvantageData, IsTheSameOnAnyNumberOfThreadsAndWhenItGoesOn) {
  const TemporaryFolder one, two;
  collect_advantages(small_data_request(1), small_graphs(), one.path());
  collect_advantages(small_data_request(2), small_graphs(), two.path());
  const std::map<std::string, std::string> files = files_in(one.path());
  EXPECT_EQ(files.size(), 12U);
  EXPECT_EQ(files, files_in(two.path()));
  std::filesystem::remove(two.path() / "001-2.safetensors");
  const std::vector<AdvantageData> again = collect_advantages(small_data_request(1), small_graphs(), two.path());
  EXPECT_EQ(files, files_in(two.path()));
  ASSERT_EQ(again.size(), 3U);
  EXPECT_FALSE(again[1].chains[2].samples.empty());
}

TEST(AdvantageData, LabelsOfAnotherRequestAreRefused) {
  const TemporaryFolder folder;
  collect_advantages(small_data_request(1), small_graphs(), folder.path());
  AdvantageRequest other = small_data_request(1);
  other.seed = 6;
  EXPECT_THROW(collect_advantages(other, small_graphs(), folder.path()), InputError);
}

}  // namespace
}  // namespace hone

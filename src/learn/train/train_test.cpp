// Whole runs of training, by each algorithm.

#include "learn/train/train.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "base/child_process.h"
#include "base/error.h"
#include "learn/policy/policy.h"
#include "learn/train/decision_arrays.h"
#include "learn/train/small_training_test.h"
#include "learn/train/torch.h"

namespace hone::learn {
namespace {

TrainingRequest one_graph(const std::filesystem::path& out, const std::string& algorithm, std::uint64_t steps) {
  TrainingRequest request = small_request(out, steps);
  request.algorithm = algorithm;
  request.data = {"synthetic:family=layered,nodes=16-16,count=1,seed=4"};
  request.graphs = 1;
  request.samples = 8;
  request.width = 16;
  request.rate = 0.02;
  request.entropy = 0.001;
  return request;
}

/// A line of progress.csv.
struct Line {
  double step = 0, seconds = 0, ratio = 0, best_ratio = 0, entropy = 0;
};

std::vector<Line> progress_of(const std::filesystem::path& folder) {
  std::ifstream file(folder / "progress.csv");
  std::vector<Line> lines;
  std::string text;
  for (std::getline(file, text); std::getline(file, text);) {
    std::ranges::replace(text, ',', ' ');
    Line line;
    std::istringstream(text) >> line.step >> line.seconds >> line.ratio >> line.best_ratio >> line.entropy;
    lines.push_back(line);
  }
  return lines;
}

double mean_ratio(const std::vector<Line>& lines, std::size_t first, std::size_t last) {
  double sum = 0;
  for (std::size_t i = first; i < last; ++i) sum += lines[i].ratio;
  return sum / static_cast<double>(last - first);
}

/// Plans of the last ten steps must be better than those of the first ten, on the mean over seeds: what one seed draws
/// may be bad luck.
void expect_better_plans(TrainingRequest request) {
  constexpr std::uint64_t kSeeds = 16;
  double first = 0, last = 0;
  for (request.seed = 0; request.seed < kSeeds; ++request.seed) {
    const TemporaryFolder folder;
    request.out = folder.path();
    train(request);
    const std::vector<Line> lines = progress_of(folder.path());
    ASSERT_EQ(lines.size(), 60U);
    first += mean_ratio(lines, 0, 10) / kSeeds;
    last += mean_ratio(lines, 50, 60) / kSeeds;
  }
  EXPECT_LT(last, 0.98 * first);
}

class Algorithms : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Training, Algorithms, testing::Values("reinforce", "ppo", "supervised"));

TEST_P(Algorithms, ResumeExactly) {
  const TemporaryFolder whole, parts;
  train(one_graph(whole.path(), GetParam(), 6));
  train(one_graph(parts.path(), GetParam(), 3));
  train(one_graph(parts.path(), GetParam(), 6));
  for (const char* file : {"policy.safetensors", "checkpoint.safetensors"})
    EXPECT_EQ(read_safetensors(whole.path() / file).arrays, read_safetensors(parts.path() / file).arrays);
  EXPECT_EQ(progress_of(parts.path()).size(), 6U);
}

TEST_P(Algorithms, MakePlansOfAGraphBetter) { expect_better_plans(one_graph("", GetParam(), 60)); }

/// Which encoder and head are trained.
struct Form {
  std::string encoder, head;
};
class Forms : public testing::TestWithParam<Form> {
 protected:
  static TrainingRequest request(const std::filesystem::path& out, const std::string& algorithm, std::uint64_t steps) {
    TrainingRequest request = one_graph(out, algorithm, steps);
    request.encoder = GetParam().encoder;
    request.head = GetParam().head;
    return request;
  }
};
INSTANTIATE_TEST_SUITE_P(Training, Forms,
                         testing::Values(Form{"messages", "autoregressive"}, Form{"sequence", "autoregressive"},
                                         Form{"messages", "independent"}));

TEST_P(Forms, ResumeExactly) {
  const TemporaryFolder whole, parts;
  for (const char* method : {"guided", "guided-moves"}) {
    const auto train_to = [&](const std::filesystem::path& out, std::uint64_t steps) {
      TrainingRequest made = request(out / method, "reinforce", steps);
      made.method = method;
      if (made.method == "guided-moves") made.start = whole.path() / "guided" / "policy.safetensors";
      train(made);
    };
    train_to(whole.path(), 4);
    train_to(parts.path(), 2);
    train_to(parts.path(), 4);
    const Safetensors made = read_safetensors(whole.path() / method / "policy.safetensors");
    EXPECT_EQ(made.arrays, read_safetensors(parts.path() / method / "policy.safetensors").arrays);
    EXPECT_EQ(made.metadata.at("encoder"), GetParam().encoder);
    EXPECT_EQ(made.metadata.at("head"), GetParam().head);
    EXPECT_NO_THROW(Policy(made, "test"));
  }
}

TEST_P(Forms, OverfitOneGraphToItsBestKnownPlanByImitation) {
  const TemporaryFolder folder;
  train(request(folder.path(), "supervised", 150));
  const std::vector<Line> lines = progress_of(folder.path());
  double best = 1e9;
  for (const Line& line : lines) best = std::min(best, line.best_ratio);
  EXPECT_NEAR(mean_ratio(lines, lines.size() - 5, lines.size()), best, 0.01 * best);
  EXPECT_GT(lines.front().ratio, 1.02 * best);
  EXPECT_LT(lines.back().entropy, 0.3 * lines.front().entropy);
}

TEST_P(Forms, MakePlansOfAGraphBetter) { expect_better_plans(request("", "reinforce", 60)); }

TEST(Training, AnUnknownEncoderOrHeadIsRefused) {
  const TemporaryFolder folder;
  TrainingRequest request = one_graph(folder.path(), "reinforce", 1);
  request.encoder = "crystal-ball";
  EXPECT_THROW(train(request), InputError);
  request.encoder = "sequence";
  request.head = "two";
  EXPECT_THROW(train(request), InputError);
}

TEST(Training, AnUnknownTrainerOrAlgorithmIsRefused) {
  const TemporaryFolder folder;
  TrainingRequest other = one_graph(folder.path(), "reinforce", 1);
  other.method = "gas";
  EXPECT_THROW(train(other), InputError);
  EXPECT_THROW(train(one_graph(folder.path(), "guessing", 1)), InputError);
}

TEST(Training, WorksOnTheNetworkWhereItIsToldToOrSaysWhyNot) {
  const TemporaryFolder folder;
  TrainingRequest request = one_graph(folder.path(), "ppo", 4);
  request.device = "cuda";
  if (!torch::cuda::is_available()) {
    EXPECT_THROW(train(request), InputError);
    return;
  }
  train(request);
  EXPECT_EQ(progress_of(folder.path()).size(), 4U);
}

TEST(DecisionArrays, AreReadBackAndRefusedWhenIncomplete) {
  Trace trace;
  trace.decisions = {{.first = 0, .count = 1, .chosen = 0}, {.first = 1, .count = 1, .chosen = 1, .could_wait = true}};
  trace.decisions[1].wait = {1, 2, 3, 4, 5};
  trace.operations = {7, 9};
  trace.features.resize(2);
  trace.features[1][3] = 0.5F;
  Safetensors contents;
  save_trace(trace, "graph0.", contents);
  const Trace back = load_trace("graph0.", 10, contents);
  EXPECT_EQ(back.operations, trace.operations);
  EXPECT_EQ(back.features, trace.features);
  ASSERT_EQ(back.decisions.size(), 2U);
  EXPECT_TRUE(back.decisions[1].could_wait);
  EXPECT_EQ(back.decisions[1].chosen, 1U);
  EXPECT_EQ(back.decisions[1].wait, trace.decisions[1].wait);
  EXPECT_TRUE(load_trace("graph1.", 10, contents).decisions.empty());
  EXPECT_THROW(load_trace("graph0.", 9, contents), InputError);
  contents.arrays["graph0.decisions"].values[1] = 100;
  EXPECT_THROW(load_trace("graph0.", 10, contents), InputError);
}

}  // namespace
}  // namespace hone::learn

// Folders of runs: going on, and what is refused.

#include "learn/train/training_run.h"

#include <gtest/gtest.h>

#include <cmath>
#include <csignal>
#include <fstream>
#include <iterator>

#include "base/child_process.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "learn/policy/policy.h"
#include "learn/train/small_training_test.h"
#include "learn/train/training_graph.h"
#include "plan/problem/workload.h"

namespace hone::learn {
namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// progress.csv without seconds.
std::vector<std::string> rows_of(const std::filesystem::path& folder) {
  std::ifstream file(folder / "progress.csv");
  std::vector<std::string> rows;
  for (std::string row; std::getline(file, row);) {
    const std::size_t first = row.find(','), second = row.find(',', first + 1);
    rows.push_back(row.substr(0, first) + row.substr(second));
  }
  return rows;
}

std::string message_of(const TrainingRequest& request) {
  try {
    train(request);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

class Methods : public testing::TestWithParam<std::string> {
 protected:
  static TrainingRequest request(const std::filesystem::path& out, std::uint64_t steps) {
    TrainingRequest made = small_request(out, steps);
    made.method = GetParam();
    return made;
  }
};
INSTANTIATE_TEST_SUITE_P(TrainingRun, Methods, testing::Values("guided", "guided-moves", "regal"));

TEST_P(Methods, WhatCameAfterTheLastCheckpointIsDoneAgainAndLoggedOnce) {
  const TemporaryFolder whole, killed;
  train(request(whole.path(), 6));
  train(request(killed.path(), 3));
  const std::string checkpoint = text_of(killed.path() / "checkpoint.safetensors");
  train(request(killed.path(), 5));
  std::ofstream(killed.path() / "checkpoint.safetensors", std::ios::binary) << checkpoint;
  std::ofstream(killed.path() / "progress.csv", std::ios::app) << "6,0.1";  // a line that was not finished
  train(request(killed.path(), 6));
  EXPECT_EQ(rows_of(killed.path()), rows_of(whole.path()));
  EXPECT_EQ(read_safetensors(killed.path() / "policy.safetensors").arrays,
            read_safetensors(whole.path() / "policy.safetensors").arrays);
}

TEST_P(Methods, ARunThatIsDoneStaysAsItIs) {
  const TemporaryFolder folder;
  train(request(folder.path(), 4));
  const std::string policy = text_of(folder.path() / "policy.safetensors");
  train(request(folder.path(), 4));
  EXPECT_EQ(text_of(folder.path() / "policy.safetensors"), policy);
}

TEST_P(Methods, ThePolicyHasACardThatSaysHowItWasMade) {
  const TemporaryFolder folder;
  train(request(folder.path(), 1));
  const Policy policy = Policy::load(folder.path() / "policy.safetensors");
  const std::string part = GetParam() == "guided-moves" ? "moves_" : "";
  for (const char* key : {"data", "data_hash", "seed", "time", "metrics", "machine"})
    EXPECT_TRUE(policy.card().contains(part + key)) << key;
  for (const char* key : {"command", "objective", "schema", "licence", "weights_sha256", "encoder", "head"})
    EXPECT_TRUE(policy.card().contains(key)) << key;
  const TrainerKind& kind = TrainerKind::named(GetParam());
  EXPECT_EQ(policy.card().at("command"), command_of(kind.completed(request(folder.path(), 1)), kind.first_network()));
}

TEST_P(Methods, CtrlCLeavesTheFolderAsItWas) {
  const TemporaryFolder folder;
  const InterruptGuard guard;
  std::raise(SIGINT);
  train(request(folder.path(), 4));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(TrainingRun, AFolderOfAnotherRunIsRefusedByName) {
  const TemporaryFolder folder;
  train(small_request(folder.path(), 1));
  TrainingRequest other = small_request(folder.path(), 2);
  other.rate = 0.5;
  EXPECT_NE(message_of(other).find("another --rate (0.003, not 0.5)"), std::string::npos) << message_of(other);
  other = small_request(folder.path(), 2);
  other.method = "guided-moves";
  EXPECT_NE(message_of(other).find("another method"), std::string::npos) << message_of(other);
  other = small_request(folder.path(), 2);
  other.data = {"synthetic:family=mixed,nodes=15-25,count=10,seed=5"};
  EXPECT_NE(message_of(other).find("another set of graphs"), std::string::npos) << message_of(other);
}

TEST(TrainingRun, AFolderThatCannotBeIsRefusedBeforeAnythingIsDone) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "file") << "text";
  EXPECT_NE(message_of(small_request(folder.path() / "file", 1)).find("cannot write"), std::string::npos);
}

TEST(TrainingRun, AFolderInUseIsRefused) {
  const TemporaryFolder folder;
  const FolderLock lock(folder.path());
  EXPECT_NE(message_of(small_request(folder.path(), 1)).find("another hone"), std::string::npos);
}

TEST(TrainingRun, ABrokenCheckpointIsRefused) {
  const TemporaryFolder folder;
  train(small_request(folder.path(), 1));
  const std::filesystem::path path = folder.path() / "checkpoint.safetensors";
  const Safetensors whole = read_safetensors(path);
  const auto refused = [&](const std::function<void(Safetensors&)>& change) {
    Safetensors broken = whole;
    change(broken);
    write_safetensors(path, broken);
    EXPECT_NE(message_of(small_request(folder.path(), 2)), "");
  };
  refused([](Safetensors& broken) { broken.metadata["step"] = "many"; });
  refused([](Safetensors& broken) { broken.metadata["step"] = "nan"; });
  refused([](Safetensors& broken) { broken.metadata.erase("adam_steps"); });
  refused([](Safetensors& broken) { broken.arrays.erase("network.head.bias"); });
  refused([](Safetensors& broken) { broken.arrays.at("network.head.bias").values[0] = NAN; });
  refused([](Safetensors& broken) {
    for (auto& [name, array] : broken.arrays)
      if (name.ends_with(".device") && !array.values.empty()) array.values[0] = 7;
  });
  write_safetensors(path, whole);
  EXPECT_EQ(message_of(small_request(folder.path(), 2)), "");
}

TEST(TrainingRun, GoesOnFromABuiltInPolicyAndNotFromOneOfOtherFeatures) {
  const TemporaryFolder folder;
  TrainingRequest request = small_request(folder.path() / "built-in", 1);
  request.start = "guided-memory";
  train(request);
  const Policy made = Policy::load(folder.path() / "built-in" / "policy.safetensors");
  EXPECT_EQ(made.parts().front().shape.width, Policy::load("guided-memory").parts().front().shape.width);
  EXPECT_EQ(made.card().at("licence"), Policy::load("guided-memory").card().at("licence"));
  Safetensors other = read_policy("guided-memory");
  other.metadata["schema"] = "hone-works-0";
  write_safetensors(folder.path() / "other.safetensors", other);
  request = small_request(folder.path() / "other", 1);
  request.start = folder.path() / "other.safetensors";
  EXPECT_NE(message_of(request).find("hone-works-0"), std::string::npos);
}

TEST(TrainingRun, GraphsThatCostNothingAreLeftOut) {
  const TemporaryFolder folder;
  WorkloadBuilder builder("free");
  const BufferId buffer = builder.add_buffer({.bytes = 0});
  builder.add_operation({.flops = 1}, {}, std::span(&buffer, 1));
  std::vector<Workload> graphs = synthetic_graphs("synthetic:family=layered,nodes=16-16,count=1,seed=4");
  const Workload free = std::move(builder).build();
  const auto only = [&] { return std::vector<Workload>{free}; };
  EXPECT_THROW(train(small_request(folder.path() / "none", 1), {.workloads = only}), InputError);
  graphs.push_back(free);
  WorkloadExamples examples(small_request("", 1), graphs);
  examples.prepare();
  EXPECT_EQ(examples.size(), 1U);
}

}  // namespace
}  // namespace hone::learn

#include <gtest/gtest.h>

#include "base/allocation_count.h"
#include "graph/ops/infer.h"
#include "run/runtime/runtime.h"
#include "run/verify/compare.h"
#include "run/verify/inputs.h"
#include "zoo/registry.h"

// Small networks of many kinds: what holds of all of them.

namespace hone::native {
namespace {

constexpr const char* kWholeModels[] = {
    "bert:layers=1,length=16,hidden=64,heads=2,feed_forward=128,vocabulary=100",
    "llama:layers=1,length=16,hidden=64,heads=4,kv_heads=2,feed_forward=128,vocabulary=100",
    "mamba:layers=1,length=8,hidden=64,vocabulary=100",
    "mobilenet-v2:resolution=32",
    "resnet18:resolution=32",
    "squeezenet:resolution=64"};

class WholeModelsTest : public testing::TestWithParam<const char*> {
 protected:
  WholeModelsTest() : model_(build_zoo(GetParam())) { infer_types(model_); }

  std::vector<Datum> results_with(const std::string& parameters) {
    const auto host = RuntimeKind::named("native").make(parameters)->start(1);
    const auto prepared = host->prepare({model_, {}}, {});
    prepared->set_inputs(given_inputs(model_, {}, 0));
    return prepared->outputs();
  }

  Model model_;
};

TEST_P(WholeModelsTest, ARunAfterTheFirstAsksForNoMemory) {
  const auto host = RuntimeKind::named("native").make("")->start(1);
  const auto prepared = host->prepare({model_, {}}, {});
  prepared->set_inputs(given_inputs(model_, {}, 0));
  prepared->run();
  const std::uint64_t before = allocation_count();
  prepared->run();
  EXPECT_EQ(allocation_count() - before, 0U);
}

TEST_P(WholeModelsTest, TheSameBitsAgain) {
  const std::vector<Datum> once = results_with(""), again = results_with("");
  for (std::size_t i = 0; i < once.size(); ++i) EXPECT_EQ(once[i].tensor(), again[i].tensor());
}

TEST_P(WholeModelsTest, WhatLoweringMayDoChangesNoResult) {
  const std::vector<Datum> usual = results_with("");
  for (const char* parameters : {"prologues=apart", "epilogues=apart", "joining=copied", "groups=none"}) {
    const std::vector<Datum> other = results_with(parameters);
    for (std::size_t i = 0; i < usual.size(); ++i) {
      const Difference difference = compare(other[i], usual[i], Tolerance{1e-4, 1e-3});
      EXPECT_TRUE(difference.within) << parameters << ": " << difference.reason;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(OfTheZoo, WholeModelsTest, testing::ValuesIn(kWholeModels));

}  // namespace
}  // namespace hone::native

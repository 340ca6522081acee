#include "run/measure/measurement.h"

#include <gtest/gtest.h>

#include "graph/ir/parse.h"
#include "graph/ops/infer.h"

namespace hone {
namespace {

Candidate candidate(const std::string& name, std::string_view body) {
  Candidate made{.name = name,
                 .model = parse_model(fmt::format("<ir_version: 8, opset_import: [\"\": 17]>\n"
                                                  "g (float[8,8] x) => (float[8,8] y) <float large = {{1e6}}> {{ {} }}",
                                                  body),
                                      name),
                 .file = {}};
  infer_types(made.model);
  return made;
}

MeasureOptions quick(bool tells_loading) {
  MeasureOptions options{.runtime = RuntimeKind::make_by("reference"), .pinned = false, .tells_loading = tells_loading};
  options.interleave = {.warmup_seconds = 0, .seconds = 0.01, .least_rounds = 2, .blocks = 2};
  return options;
}

TEST(MeasurementTest, WhatFailsIsLeftOutWhetherOrNotLoadingIsTold) {
  const Candidate candidates[] = {candidate("first", "y = Relu(x)"),
                                  candidate("broken",
                                            "z = Mul(x, large) i = Cast<to = 7>(z) "
                                            "y = GatherElements<axis = 0>(x, i)"),
                                  candidate("last", "z = Neg(x) y = Relu(z)")};
  for (const bool tells_loading : {true, false}) {
    const Measurement found = measure_models(candidates, quick(tells_loading));
    ASSERT_EQ(found.models.size(), 3u);
    EXPECT_FALSE(found.models[1].failure.empty());
    EXPECT_TRUE(found.models[1].seconds.empty());
    for (const std::size_t alive : {0, 2}) {
      EXPECT_EQ(found.models[alive].failure, "");
      EXPECT_GE(found.models[alive].seconds.size(), 2u);
    }
    EXPECT_TRUE(found.models[2].ratio);
  }
}

TEST(MeasurementTest, LoadingIsToldWhereItIsAskedFor) {
  const Candidate candidates[] = {candidate("one", "y = Relu(x)"), candidate("two", "y = Neg(x)")};
  const Measurement told = measure_models(candidates, quick(true)), untold = measure_models(candidates, quick(false));
  EXPECT_GT(told.models[1].load_seconds, 0);
  EXPECT_EQ(untold.models[1].load_seconds, 0);
  EXPECT_TRUE(untold.models[1].ratio);
}

}  // namespace
}  // namespace hone

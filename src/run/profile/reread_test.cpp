#include "run/profile/reread.h"

#include <gtest/gtest.h>

#include "graph/ir/parse.h"
#include "graph/ops/infer.h"

namespace hone {
namespace {

double reread(const char* text, double cache_bytes) {
  Model model = parse_model(text, "test");
  infer_types(model);
  return reread_bytes(model.graph, cache_bytes);
}

constexpr const char* kSkip = R"(<ir_version: 8, opset_import: ["" : 17]>
  agraph (float[100] x) => (float[100] y) {
    a = Relu(x)  b = Exp(a)  c = Exp(b)  d = Exp(c)  y = Add(d, a) })";

TEST(RereadTest, AValueReadLongAfterItWasMadeIsCold) {
  EXPECT_EQ(reread(kSkip, 1000), 400);  // a, after 1,600 bytes of b, c and d
}

TEST(RereadTest, ALargeCacheKeepsAll) { EXPECT_EQ(reread(kSkip, 1e6), 0); }

TEST(RereadTest, WhatNoCacheHoldsAnywayDoesNotCount) { EXPECT_EQ(reread(kSkip, 700), 0); }

}  // namespace
}  // namespace hone

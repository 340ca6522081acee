#include "run/profile/isolate.h"

#include <gtest/gtest.h>

#include "graph/ir/parse.h"
#include "graph/ops/infer.h"
#include "run/reference/reference.h"

namespace hone {
namespace {

ObservedGraph observed() {
  ObservedGraph graph{.model = parse_model(R"(<ir_version: 8, opset_import: ["" : 17]>
    agraph (float[4,3] x, int64[2] rows) => (float[2,3] y) <float[3] scale = {1, 2, 3}> {
      s = Mul(x, scale)  y = Gather<axis = 0>(s, rows) })",
                                           "test"),
                      .contents = {}};
  infer_types(graph.model);
  graph.contents[*graph.model.graph.find_value("rows")] = Tensor::of<std::int64_t>({3, 0}, {2});
  return graph;
}

TEST(IsolateTest, AnIsolatedNodeRunsAloneInAsManyCopiesAsAsked) {
  const Isolated isolated = isolate(observed(), NodeId(0), 3);
  EXPECT_EQ(isolated.model.graph.node_count(), 4u);  // and the frame's own
  EXPECT_EQ(isolated.activation_bytes, 48);
  EXPECT_EQ(isolated.weight_bytes, 12);
  EXPECT_EQ(ReferenceInterpreter(isolated.model).run(isolated.inputs).size(), 1u);
}

TEST(IsolateTest, IndicesAreTheOnesObserved) {
  const Isolated isolated = isolate(observed(), NodeId(1), 1);
  ASSERT_EQ(isolated.inputs.size(), 3u);
  EXPECT_EQ(isolated.inputs[2].tensor(), Tensor::of<std::int64_t>({3, 0}, {2}));
}

TEST(IsolateTest, AFrameHasNothingButTrivialNodes) {
  const Isolated frame = empty_frame(observed(), 5);
  EXPECT_EQ(frame.model.graph.node_count(), 6u);
  EXPECT_EQ(frame.weight_bytes, 0);
  EXPECT_EQ(ReferenceInterpreter(frame.model).run(frame.inputs).size(), 1u);
}

TEST(IsolateTest, WhatWasNotObservedIsRefused) {
  ObservedGraph graph = observed();
  graph.contents.clear();
  EXPECT_THROW(isolate(graph, NodeId(1), 1), InputError);
}

}  // namespace
}  // namespace hone

#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "graph/clean/clean.h"
#include "graph/ir/order.h"
#include "graph/ir/parse.h"
#include "graph/ir/print.h"
#include "graph/ir/verify.h"
#include "graph/ops/infer.h"
#include "run/verify/equivalence.h"

// For tests of the clean-up passes: a small model in the text form, before and after.

namespace hone {

/// A graph in the text form as a model of this IR version and opset, with types inferred.
inline Model typed_model(std::string_view graph, int ir_version = 8, int opset = 17) {
  Model model =
      parse_model(fmt::format("<ir_version: {}, opset_import: [\"\" : {}]>\n{}", ir_version, opset, graph), "case");
  infer_types(model);
  return model;
}

/// Operators of the graph in order: `Add Relu`.
inline std::string operators(const Graph& graph) {
  std::string list;
  for (const NodeId id : topological_order(graph)) list += (list.empty() ? "" : " ") + graph.node(id).op->text();
  return list;
}

/// The body that the first node holding one has under this attribute.
inline const Graph& body_of(const Model& model, std::string_view attribute) {
  for (const NodeId id : model.graph.nodes())
    if (const Attribute* held = model.graph.node(id).attribute(attribute)) return *std::get<SharedGraph>(held->value);
  throw std::logic_error("no such body");
}

/// The second model is valid, has the signature of the first, and computes the same.
inline void expect_stands_in(const Model& before, const Model& after) {
  EXPECT_EQ(verify(after), std::nullopt) << print(after);
  for (const auto list : {&Graph::inputs, &Graph::outputs}) {
    const auto a = (before.graph.*list)(), b = (after.graph.*list)();
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(before.graph.value(a[i]).name, after.graph.value(b[i]).name);
  }
  const Equivalence same = check_equivalence(before, after, {.seed = 5, .random_inputs = 2});
  EXPECT_TRUE(same.equal) << same.reason << '\n' << print(after);
}

/// Applies a pass to the model, and expects nothing but its operators to change.
template <class Pass>
Model after(const Model& before, Pass pass) {
  Model model = before;
  pass(model);
  infer_types(model);
  expect_stands_in(before, model);
  return model;
}

}  // namespace hone

#include "graph/clean/clean.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "graph/clean/clean_case_test.h"
#include "graph/ir/random_model_test.h"

namespace hone {
namespace {

Model cleaned(const Model& before) {
  return after(before, [](Model& model) { clean(model); });
}

TEST(CleanTest, PassesFeedOneAnother) {
  const Model before = typed_model(R"(g (float[2,3] x) => (y) <float one = {1}> {
      s = Shape (x)
      same = Reshape (x, s)
      a = Relu (same)
      b = Relu (x)
      unread = Neg (b)
      c = Mul (b, one)
      d = Sub (a, c)
      e = Dropout (d)
      y = Identity (e)
  })");
  Model model = before;
  const CleanReport report = clean(model);
  expect_stands_in(before, model);
  EXPECT_EQ(operators(model.graph), "Relu Sub");
  EXPECT_TRUE(model.graph.initializers().empty());
  EXPECT_EQ(report.nodes_before, 9u);
  EXPECT_EQ(report.nodes_after, 2u);
  std::size_t changes = 0;
  for (const auto& [pass, count] : report.changes) changes += count;
  EXPECT_GE(changes, 7u);
}

TEST(CleanTest, ASecondTimeThereIsNothingToDo) {
  Model model = cleaned(typed_model(R"(g (float[2,3] x) => (y) <float[3] w = {1, 2, 3}, float[3] v = {1, 2, 3}> {
      a = Add (x, w) b = Add (x, v) c = Neg (w) d = Mul (a, c) y = Add (b, d) })"));
  for (const auto& [pass, count] : clean(model).changes) EXPECT_EQ(count, 0u) << pass;
}

TEST(CleanTest, WhatNobodyKnowsIsLeftAlone) {
  Model model = typed_model("g (float[2] x) => (y, z) { a = acme.Op (x) b = acme.Op (x) y, z = acme.Pair (a, b) }");
  clean(model);
  EXPECT_EQ(operators(model.graph), "acme.Op acme.Op acme.Pair");
}

TEST(CleanTest, BodiesInBodiesAreCleaned) {
  const Model model = cleaned(typed_model(R"(g (bool c, float[2] x) => (y) <float[2] k = {1, 2}> {
      y = If (c) <
        then_branch = t () => (a) {
          a = If (c) <then_branch = tt () => (p) { q = Identity (x) r = Neg (k) p = Add (q, r) },
                      else_branch = te () => (u) { u = Abs (x) }>
        },
        else_branch = e () => (b) { v = Relu (x) w = Relu (x) b = Add (v, w) }> })"));
  EXPECT_EQ(operators(body_of(model, "else_branch")), "Relu Add");
  const Graph& outer = body_of(model, "then_branch");
  const Graph& inner = *std::get<SharedGraph>(outer.node(outer.nodes().at(0)).attribute("then_branch")->value);
  EXPECT_LE(inner.node_count(), 2u);
}

TEST(CleanTest, BodiesDoNotHideWhatTheyComeToRead) {
  // The branch has an `a` of its own; once `b` is gone, it reads the outer one.
  Model before = typed_model(R"(g (bool c, float[2] x) => (y) {
      a = Relu (x) b = Identity (a)
      y = If (c) <then_branch = t () => (r) { inner = Neg (x) r = Add (inner, b) }, else_branch = e () => (s) { s = Abs (a) }> })");
  const NodeId holder = before.graph.value(before.graph.outputs()[0]).producer;
  Attributes attributes = *before.graph.node(holder).attributes;
  Graph branch = *std::get<SharedGraph>(attributes[0].value);
  branch.rename(*branch.find_value("inner"), "a");
  attributes[0].value = std::make_shared<const Graph>(std::move(branch));
  before.graph.set_attributes(holder, std::move(attributes));
  const Model model = cleaned(before);
  EXPECT_EQ(operators(model.graph), "Relu If");
  const Model printed = parse_model(print(model), "printed");
  EXPECT_EQ(verify(printed), std::nullopt);
  EXPECT_TRUE(check_equivalence(before, printed, {}).equal);
}

/// A model whose body input has the name of the value it is given.
Model shadowing(std::string_view holder) {
  Model model = typed_model(fmt::format(R"(g (int64 n, bool c, float[2] x) => (float[2] y) {{
      y = {} (n, c, x) <body = b (int64 i, bool more, float[2] inner) => (more, next) {{ same = Identity (inner) next = Neg (same) }}> }})",
                                        holder));
  const NodeId id = model.graph.value(model.graph.outputs()[0]).producer;
  Attributes attributes = *model.graph.node(id).attributes;
  Graph body = *std::get<SharedGraph>(attributes[0].value);
  body.rename(body.inputs()[2], "x");
  attributes[0].value = std::make_shared<const Graph>(std::move(body));
  model.graph.set_attributes(id, std::move(attributes));
  return model;
}

TEST(CleanTest, InputsOfBodiesAreRenamedWhereTheyWouldHideSomething) {
  const Model model = cleaned(shadowing("Loop"));
  const Graph& body = body_of(model, "body");
  EXPECT_EQ(body.value(body.inputs()[2]).name, "x_1");
  EXPECT_EQ(operators(body), "Neg");
}

TEST(CleanTest, InputsOfBodiesOfUnknownOperatorsKeepTheirNames) {
  Model model = shadowing("acme.Search");
  clean(model);
  const Graph& body = body_of(model, "body");
  EXPECT_EQ(body.value(body.inputs()[2]).name, "x");
  EXPECT_EQ(operators(body), "Neg");
}

TEST(CleanTest, AGraphThatDeclaresNoOutputsStaysAsItIs) {
  Model model = typed_model("g (float[2] x) => () { a = Identity (x) b = Relu (a) c = Relu (x) }");
  clean(model);
  EXPECT_EQ(operators(model.graph), "Identity Relu Relu");
  EXPECT_EQ(remove_dead_code(model), 0u);
}

TEST(CleanTest, FunctionsAreNotTouched) {
  const std::string text = R"(<ir_version: 9, opset_import: ["" : 17, "local" : 1]>
      g (float[2] x) => (y) { t = Identity (x) y = local.f (t) }
      <domain: "local", opset_import: ["" : 17]> f (x) => (y) { t = Identity (x) y = Relu (t) })";
  const Model before = parse_model(text, "text");
  Model model = before;
  clean(model);
  expect_stands_in(before, model);
  EXPECT_EQ(operators(model.graph), "local.f");
  EXPECT_EQ(operators(model.functions[0].body), "Identity Relu");
}

/// A model that computes something: random operators over [2,2] floats, among them many that the passes look for.
Model random_computation(Rng& rng) {
  std::string nodes,
      values = "float[2,2] one = {1, 1, 1, 1}, float unit = {1}, float none = {0}, int64[2] same = {2, 2}";
  std::vector<std::string> readable{"x", "one"};
  for (std::uint64_t i = rng.below(3); i-- > 0;) {
    values += fmt::format(", float[2,2] w{} = {{{}, 1, 0, -2}}", i, rng.below(2));
    readable.push_back(fmt::format("w{}", i));
  }
  const auto any = [&] { return readable[rng.below(readable.size())]; };
  const char* const shapes[] = {
      "Relu ({0})",          "Neg ({0})",       "Identity ({0})",      "Abs ({0})",
      "Cast <to = 1> ({0})", "Add ({0}, {1})",  "Mul ({0}, {1})",      "Sub ({0}, {1})",
      "Mul ({0}, unit)",     "Add (none, {0})", "Reshape ({0}, same)", "Transpose <perm = [1, 0]> ({0})",
      "Dropout ({0})",       "Sum ({0})",       "Max ({0}, {1})",      "MatMul ({0}, {1})"};
  const std::uint64_t count = 1 + rng.below(20);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::string output = fmt::format("t{}", i);
    nodes += fmt::format("  {} = {}\n", output,
                         fmt::format(fmt::runtime(shapes[rng.below(std::size(shapes))]), any(), any()));
    readable.push_back(output);
  }
  std::string outputs = fmt::format("t{}", count - 1);
  if (count > 1) outputs += fmt::format(", t{}", rng.below(count - 1));
  return typed_model(fmt::format("g (float[2,2] x) => ({}) <{}> {{\n{}}}", outputs, values, nodes));
}

TEST(CleanTest, RandomComputationsGiveTheSameResults) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Rng rng(seed);
    const Model before = random_computation(rng);
    SCOPED_TRACE(print(before));
    const Model model = cleaned(before);
    EXPECT_LE(model.graph.node_count(), before.graph.node_count());
  }
}

TEST(CleanTest, RandomModelsStayValid) {
  std::size_t tried = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Rng rng(seed);
    Model model = random_model(rng);
    try {
      clean(model);
    } catch (const InputError&) {
      continue;  // it computes nothing sensible
    }
    ++tried;
    EXPECT_EQ(verify(model), std::nullopt) << "seed " << seed;
  }
  EXPECT_GT(tried, 20u);
}

}  // namespace
}  // namespace hone

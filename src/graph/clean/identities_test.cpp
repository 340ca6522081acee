#include <gtest/gtest.h>

#include "graph/clean/clean_case_test.h"

namespace hone {
namespace {

/// Operators left of the graph, which computes the same as before.
std::string left_of(std::string_view graph, int ir_version = 8, int opset = 17) {
  return operators(after(typed_model(graph, ir_version, opset), remove_identities).graph);
}

TEST(IdentitiesTest, NodesThatGiveBackTheirInputGo) {
  for (const std::string_view node : {
           "t = Identity (r)",
           "t = Cast <to = 1> (r)",
           "t = CastLike (r, r)",
           "t = Dropout (r)",
           "t, mask = Dropout (r)",
           "t = Dropout (r, half, no)",
           "t = Reshape (r, same)",
           "t = Flatten <axis = 1> (r)",
           "t = Expand (r, same)",
           "t = Tile (r, ones)",
           "t = Transpose <perm = [0, 1]> (r)",
           "t = Pad (r, nothing)",
           "t = Slice (r, begin, end)",
           "t = Concat <axis = 0> (r)",
           "t = Sum (r)",
           "t = Max (r)",
           "t = Mean (r)",
           "t = Split <axis = 0> (r, all)",
           "t = Mul (r, one)",
           "t = Mul (one, r)",
           "t = Div (r, one)",
           "t = Add (r, zero)",
           "t = Add (zero, r)",
           "t = Sub (r, zero)",
           "t = Pow (r, one)",
       })
    EXPECT_EQ(
        left_of(fmt::format(
            "g (float[2,3] x) => (y) <float one = {{1}}, float[1] zero = {{0}}, int64[2] same = "
            "{{2, 3}}, int64[2] ones = {{1, 1}}, int64[4] nothing = {{0, 0, 0, 0}}, float half = {{0.5}}, bool no = "
            "{{0}}, int64[1] all = {{2}}, int64[2] begin = {{0, 0}}, int64[2] end = {{2, 9}}> "
            "{{ r = Relu (x) {} y = Abs (t) }}",
            node)),
        "Relu Abs")
        << node;
}

TEST(IdentitiesTest, NodesThatOnlyLookLikeItStay) {
  for (const std::string_view node : {
           "t = Cast <to = 11> (r)",
           "t = Transpose <perm = [1, 0]> (r)",
           "t = Reshape (r, other)",
           "t = Slice (r, last, before, axis, back)",
           "t = Sub (zero, r)",
           "t = Div (one, r)",
           "t = Mul (r, row)",
           "t = Add (wide, r)",
           "t = Pad (r, shift)",
           "t = Dropout (r, half, yes)",
       })
    EXPECT_NE(
        left_of(fmt::format(
            "g (float[2,2] x) => (y) <float one = {{1}}, float zero = {{0}}, int64[1] other = {{4}}, "
            "int64[1] last = {{-1}}, int64[1] before = {{-9}}, int64[1] axis = {{0}}, int64[1] back = {{-1}}, float[2] "
            "row = {{1, 2}}, float[1,1,1] wide = {{0}}, int64[4] shift = {{1, 0, -1, 0}}, float half = {{0.5}}, bool "
            "yes "
            "= {{1}}> {{ r = Relu (x) {} y = Abs (t) }}",
            node)),
        "Relu Abs")
        << node;
}

TEST(IdentitiesTest, SymbolicShapesThatAgreeAreEnough) {
  const Model model = typed_model(R"(g (float[N,3] x) => (y) {
      r = Relu (x) s = Shape (r) t = Reshape (r, s) y = Abs (t) })");
  Model cleaned = model;
  EXPECT_EQ(remove_identities(cleaned), 1u);
  EXPECT_EQ(operators(cleaned.graph), "Relu Shape Abs");
}

TEST(IdentitiesTest, TheProducerOfAnOutputTakesItsName) {
  const Model model = after(typed_model("g (float[2] x) => (y) { t = Relu (x) y = Identity (t) }"), remove_identities);
  EXPECT_EQ(operators(model.graph), "Relu");
}

TEST(IdentitiesTest, AnInputThatIsReturnedAndAValueReturnedTwiceKeepTheirNodes) {
  EXPECT_EQ(left_of("g (float[2] x) => (y) { y = Identity (x) }"), "Identity");
  EXPECT_EQ(left_of("g (float[2] x) => (y, z) { y = Relu (x) z = Identity (y) }"), "Relu Identity");
}

TEST(IdentitiesTest, DropoutStaysWhereItsMaskIsRead) {
  EXPECT_EQ(left_of("g (float[2] x) => (y, m) { r = Relu (x) y, m = Dropout (r) }"), "Relu Dropout");
}

TEST(IdentitiesTest, DefaultsOfInputsMayBeOverridden) {
  const std::string_view graph = "g (float[2] x, float one = {1}) => (y) { r = Relu (x) t = Mul (r, one) y = Abs (t) }";
  EXPECT_EQ(left_of(graph, 8), "Relu Mul Abs");
  EXPECT_EQ(left_of(graph, 3), "Relu Abs");
}

TEST(IdentitiesTest, GoFromBodiesToo) {
  const Model model = after(typed_model(R"(g (bool c, float[2] x) => (y) {
      y = If (c) <then_branch = t () => (a) { u = Identity (x) a = Relu (u) }, else_branch = e () => (b) { b = Abs (x) }> })"),
                            remove_identities);
  EXPECT_EQ(operators(body_of(model, "then_branch")), "Relu");
}

TEST(IdentitiesTest, OtherDomainsAndFunctionsAreNotMeant) {
  Model model = typed_model("g (float[2] x) => (y) { t = acme.Identity (x) y = Relu (t) }");
  EXPECT_EQ(remove_identities(model), 0u);
}

TEST(IdentitiesTest, AnOutputOfWhatOthersReadStaysApart) {
  const Model model = after(typed_model("g (float[2] x) => (y, z) { a = Neg (x) y = Identity (a) z = Relu (a) }"),
                            [](Model& each) { remove_identities(each); });
  EXPECT_EQ(operators(model.graph), "Neg Identity Relu");
}

}  // namespace
}  // namespace hone

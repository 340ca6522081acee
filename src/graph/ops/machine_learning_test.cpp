#include "graph/ops/one_node_test.h"

namespace hone {
namespace {

OneNode learned(std::string_view op, Attributes attributes = {}, std::size_t outputs = 1) {
  return {.op = op, .attributes = std::move(attributes), .outputs = outputs, .domain = "ai.onnx.ml"};
}

TEST(ArrayFeatureExtractorTest, PicksColumns) {
  expect_numbers(run_node(learned("ArrayFeatureExtractor"), {counting({2, 3}), int64s({2, 0}, {2})})[0], {2, 2},
                 {2, 0, 5, 3});
  expect_numbers(run_node(learned("ArrayFeatureExtractor"), {counting({3}), int64s({1}, {1})})[0], {1, 1}, {1});
  EXPECT_THROW(run_node(learned("ArrayFeatureExtractor"), {counting({3}), int64s({3}, {1})}), InputError);
}

TEST(ScalerTest, ScalesEachFeature) {
  const OneNode node = learned("Scaler", {{.name = "offset", .value = std::vector<float>{1, 2}},
                                          {.name = "scale", .value = std::vector<float>{10}}});
  expect_numbers(run_node(node, {int64s({1, 2, 3, 4}, {2, 2})})[0], {2, 2}, {0, 0, 20, 20});
}

TEST(NormalizerTest, DividesRows) {
  const OneNode node = learned("Normalizer", {{.name = "norm", .value = std::string("L2")}});
  expect_numbers(run_node(node, {floats({3, 4, 0, 0}, {2, 2})})[0], {2, 2}, {0.6, 0.8, 0, 0});
}

TEST(ImputerTest, ReplacesWhatIsNoNumber) {
  const OneNode node = learned("Imputer", {{.name = "imputed_value_floats", .value = std::vector<float>{7}},
                                           {.name = "replaced_value_float", .value = std::nanf("")}});
  expect_numbers(run_node(node, {floats({1, std::nanf("")}, {1, 2})})[0], {1, 2}, {1, 7});
}

TEST(LinearRegressorTest, MultipliesAndAdds) {
  const OneNode node = learned("LinearRegressor", {{.name = "coefficients", .value = std::vector<float>{1, 2}},
                                                   {.name = "intercepts", .value = std::vector<float>{5}}});
  expect_numbers(run_node(node, {floats({1, 1, 0, 3}, {2, 2})})[0], {2, 1}, {8, 11});
}

TEST(LinearClassifierTest, NamesTheClassWithTheGreatestScore) {
  const OneNode node = learned("LinearClassifier",
                               {{.name = "coefficients", .value = std::vector<float>{1, 0, 0, 1}},
                                {.name = "classlabels_ints", .value = std::vector<std::int64_t>{10, 20}}},
                               2);
  const auto outputs = run_node(node, {floats({1, 3}, {1, 2})});
  EXPECT_EQ(outputs[0], int64s({20}, {1}));
  expect_numbers(outputs[1], {1, 2}, {1, 3});
}

}  // namespace
}  // namespace hone

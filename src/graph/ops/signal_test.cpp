#include "graph/ops/one_node_test.h"

namespace hone {
namespace {

TEST(DFTTest, TransformsRealSignalsOfAnyLength) {
  expect_numbers(run_node({"DFT", 17}, {floats({1, 2, 3, 4}, {1, 4, 1})})[0], {1, 4, 2}, {10, 0, -2, 2, -2, 0, -2, -2});
  const double root = std::sqrt(3.0) / 2;
  expect_numbers(run_node({"DFT", 20}, {floats({1, 2, 3}, {1, 3, 1})})[0], {1, 3, 2}, {6, 0, -1.5, root, -1.5, -root});
}

TEST(DFTTest, InverseUndoesIt) {
  const Tensor x = floats({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, {1, 6, 2});
  const Tensor y = run_node({"DFT", 20}, {x})[0];
  const Tensor back = run_node({"DFT", 20, {{"inverse", std::int64_t{1}}}}, {y})[0];
  expect_numbers(back, {1, 6, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
}

TEST(DFTTest, TakesAnAxisALengthAndHalfTheSpectrum) {
  const OneNode node = {"DFT", 20, {{"onesided", std::int64_t{1}}}};
  const Tensor x = floats({1, 10, 2, 20}, {2, 2, 1});
  expect_numbers(run_node(node, {x, int64s({3}, {}), int64s({0}, {})})[0], {2, 2, 2},
                 {3, 0, 30, 0, 0, -std::sqrt(3.0), 0, -10 * std::sqrt(3.0)});
  EXPECT_THROW(run_node(node, {x, int64s({3}, {}), int64s({2}, {})}), InputError);
}

TEST(STFTTest, TransformsWindowedFrames) {
  const Tensor x = floats({1, 2, 3, 4}, {1, 4, 1}), window = floats({1, 2}, {2});
  const Tensor y = run_node({"STFT", 17}, {x, int64s({2}, {}), window, int64s({2}, {})})[0];
  expect_numbers(y, {1, 2, 2, 2}, {5, 0, -3, 0, 11, 0, -5, 0});
}

TEST(MelWeightMatrixTest, RefusesEdgesOutsideTheSpectrum) {
  const auto run = [](float upper) {
    return run_node({"MelWeightMatrix", 17},
                    {int64s({2}, {}), int64s({16}, {}), int64s({8000}, {}), floats({0}, {}), floats({upper}, {})});
  };
  EXPECT_EQ(run(4000)[0].dims(), (Dims{9, 2}));
  EXPECT_THROW(run(40000), InputError);
}

}  // namespace
}  // namespace hone

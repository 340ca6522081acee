#include "base/linear_fit.h"

#include <gtest/gtest.h>

#include <array>

#include "base/random.h"

namespace hone {
namespace {

TEST(LinearFitTest, ComesToTheFunctionThatLabelsFollow) {
  LinearFit fit({0, 0, 0}, std::array{1.0, 1.0, 1.0});
  Rng rng(1);
  for (int i = 0; i < 200; ++i) {
    const std::array row = {rng.uniform(-1, 1), rng.uniform(-1, 1), 1.0};
    fit.learn<double>(row, 2 * row[0] - 3 * row[1] + 0.5, 1e-4);
  }
  EXPECT_NEAR(fit.predict<double>(std::array{1.0, 0.0, 0.0}), 2, 1e-3);
  EXPECT_NEAR(fit.predict<double>(std::array{0.0, 1.0, 0.0}), -3, 1e-3);
  EXPECT_NEAR(fit.predict<double>(std::array{0.0, 0.0, 1.0}), 0.5, 1e-3);
}

TEST(LinearFitTest, OneNoisyLabelMovesItAsFarAsBothVariancesSay) {
  LinearFit fit({1}, std::array{4.0});
  EXPECT_DOUBLE_EQ(fit.variance<double>(std::array{3.0}), 9 * 4.0);
  fit.learn<double>(std::array{1.0}, 6, 1);
  EXPECT_NEAR(fit.predict<double>(std::array{1.0}), 1 + 5 * 4.0 / (4 + 1), 1e-12);
  EXPECT_NEAR(fit.variance<double>(std::array{1.0}), 4.0 * 1 / (4 + 1), 1e-12);
}

TEST(LinearFitTest, WhatIsCertainStays) {
  LinearFit fit({1, 1}, std::array{0.0, 1.0});
  fit.learn<double>(std::array{1.0, 1.0}, 10, 1e-6);
  EXPECT_NEAR(fit.predict<double>(std::array{1.0, 0.0}), 1, 1e-12);
  EXPECT_NEAR(fit.predict<double>(std::array{0.0, 1.0}), 9, 1e-4);
}

}  // namespace
}  // namespace hone

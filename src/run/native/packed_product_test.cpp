#include "run/native/packed_product.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/random.h"

namespace hone::native {
namespace {

std::vector<float> random_floats(Rng& rng, std::int64_t count) {
  std::vector<float> elements;
  for (std::int64_t i = 0; i < count; ++i) elements.push_back(static_cast<float>(rng.uniform(-1, 1)));
  return elements;
}

/// A product of random elements, row by row or with channels in blocks.
struct RandomProduct {
  RandomProduct(Rng& rng, std::int64_t rows, std::int64_t depth, std::int64_t columns, bool in_blocks)
      : shape{.rows = rows, .depth = depth, .columns = columns, .a_row = depth + 3, .c_row = columns + 5} {
    if (in_blocks) {
      shape.a_row = shape.c_row = kProductBlock;
      shape.a_block = shape.c_block = rows * kProductBlock;
      shape.fills_blocks = true;
    }
    a = random_floats(rng, (depth + kProductBlock) * (rows + 1) + 3 * rows);
    weights = random_floats(rng, depth * columns);
    bias = random_floats(rng, columns);
    c.assign(static_cast<std::size_t>((columns + kProductBlock) * rows), kUntouched);
    added = random_floats(rng, static_cast<std::int64_t>(c.size()));
  }

  static std::size_t at(std::int64_t row, std::int64_t element, std::int64_t row_stride, std::int64_t block_stride) {
    return static_cast<std::size_t>(row * row_stride + element / kProductBlock * block_stride +
                                    element % kProductBlock);
  }
  std::size_t place(std::int64_t row, std::int64_t column) const { return at(row, column, shape.c_row, shape.c_block); }

  /// The sum of a row and a column, with bias.
  double sum(std::int64_t row, std::int64_t column) const {
    double sum = bias[static_cast<std::size_t>(column)];
    for (std::int64_t k = 0; k < shape.depth; ++k)
      sum += static_cast<double>(a[at(row, k, shape.a_row, shape.a_block)]) *
             static_cast<double>(weights[static_cast<std::size_t>(k * shape.columns + column)]);
    return sum;
  }

  PackedProduct packed() const {
    return {shape,
            {.elements = weights.data(), .depth_stride = shape.columns, .column_stride = 1, .bias = bias.data()}};
  }

  static constexpr float kUntouched = 77;
  PackedProduct::Shape shape;
  std::vector<float> a, weights, bias, c, added;
};

constexpr std::int64_t kProductSizes[][3] = {{1, 1, 1},    {1, 40, 70},   {7, 16, 16},   {13, 17, 33},  {24, 5, 48},
                                             {33, 64, 15}, {50, 100, 65}, {5, 1100, 40}, {61, 2050, 31}};

class PackedProductTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!PackedProduct::is_available()) GTEST_SKIP() << "this processor has no AVX-512";
  }
};

TEST_F(PackedProductTest, MultipliesInBothLayouts) {
  Rng rng(5);
  for (const auto& [rows, depth, columns] : kProductSizes)
    for (const bool in_blocks : {false, true}) {
      RandomProduct product(rng, rows, depth, columns, in_blocks);
      const PackedProduct packed = product.packed();
      const ProductFinish finishes[] = {{.kind = ProductFinish::Kind::add,
                                         .operand = product.added.data(),
                                         .row = product.shape.c_row,
                                         .block = product.shape.c_block},
                                        {.kind = ProductFinish::Kind::bound, .alpha = -0.5F, .beta = 1.5F}};
      packed.run({.a = product.a.data(), .c = product.c.data(), .finishes = finishes}, 0, packed.parts());
      for (std::int64_t row = 0; row < rows; ++row)
        for (std::int64_t column = 0; column < columns; ++column) {
          const std::size_t at = product.place(row, column);
          const double expected =
              std::clamp(product.sum(row, column) + static_cast<double>(product.added[at]), -0.5, 1.5);
          ASSERT_NEAR(product.c[at], expected, 1e-4) << rows << "x" << depth << "x" << columns << " at " << row << ","
                                                     << column << (in_blocks ? " in blocks" : "");
        }
    }
}

TEST_F(PackedProductTest, WritesZerosBesideTheLastColumnOfABlockAndNothingBesideThatOfARow) {
  Rng rng(6);
  for (const bool in_blocks : {false, true}) {
    RandomProduct product(rng, 9, 20, 21, in_blocks);
    const PackedProduct packed = product.packed();
    packed.run({.a = product.a.data(), .c = product.c.data()}, 0, packed.parts());
    for (std::int64_t row = 0; row < 9; ++row)
      for (std::int64_t column = 21; column < (in_blocks ? 32 : 26); ++column)
        EXPECT_EQ(product.c[product.place(row, column)], in_blocks ? 0.0F : RandomProduct::kUntouched);
  }
}

TEST_F(PackedProductTest, AppliesFunctionsAndKeepsWhatIsNoNumber) {
  Rng rng(7);
  const auto gelu = [](double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); };
  RandomProduct product(rng, 14, 30, 37, false);
  product.a[3] = std::numeric_limits<float>::quiet_NaN();  // of the first row
  const PackedProduct packed = product.packed();
  const ProductFinish finishes[] = {{.kind = ProductFinish::Kind::leak, .alpha = 0.1F},
                                    {.kind = ProductFinish::Kind::scale, .alpha = 2, .beta = 0.25F},
                                    {.kind = ProductFinish::Kind::gelu}};
  packed.run({.a = product.a.data(), .c = product.c.data(), .finishes = finishes}, 0, packed.parts());
  for (std::int64_t column = 0; column < 37; ++column) {
    EXPECT_TRUE(std::isnan(product.c[product.place(0, column)]));
    const double sum = product.sum(5, column);
    EXPECT_NEAR(product.c[product.place(5, column)], gelu(2 * (sum < 0 ? 0.1 * sum : sum) + 0.25), 1e-4);
  }
}

TEST_F(PackedProductTest, GivesTheSameBitsInAnyParts) {
  Rng rng(8);
  for (const auto& [rows, depth, columns] : kProductSizes) {
    RandomProduct whole(rng, rows, depth, columns, false);
    RandomProduct apart = whole;
    const PackedProduct packed = whole.packed();
    packed.run({.a = whole.a.data(), .c = whole.c.data()}, 0, packed.parts());
    for (std::int64_t part = 0; part < packed.parts(); part += 3)
      packed.run({.a = apart.a.data(), .c = apart.c.data()}, part, std::min(part + 3, packed.parts()));
    EXPECT_EQ(whole.c, apart.c);
  }
}

}  // namespace
}  // namespace hone::native

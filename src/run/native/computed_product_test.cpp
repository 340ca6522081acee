#include "run/native/computed_product.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "run/native/threads.h"

namespace hone::native {
namespace {

/// A stack of products of random elements; the right-hand side lies in one of several ways.
struct RandomStack {
  enum class Lies { by_rows, by_columns, apart };

  RandomStack(Rng& rng, std::int64_t rows, std::int64_t depth, std::int64_t columns, Lies lies)
      : a{ArrayId(0), dense_view(ElementType::float32, {kTimes, rows, depth})},
        b{ArrayId(1), dense_view(ElementType::float32, {depth, columns})},
        c{ArrayId(2), dense_view(ElementType::float32, {kTimes, rows, columns})} {
    b.view.dims = {kTimes, depth, columns};
    if (lies == Lies::by_rows) b.view.strides = {depth * columns, columns, 1};
    if (lies == Lies::by_columns) b.view.strides = {depth * columns, 1, depth};
    if (lies == Lies::apart) b.view.strides = {2 * depth * columns, 2 * columns, 2};
    const std::int64_t counts[] = {kTimes * rows * depth, 2 * kTimes * depth * columns, kTimes * rows * columns,
                                   kTimes * rows * columns};
    for (const std::int64_t count : counts) {
      arrays.emplace_back();
      for (std::int64_t i = 0; i < count; ++i) arrays.back().push_back(static_cast<float>(rng.uniform(-1, 1)));
    }
    for (std::int64_t i = 0; i < columns; ++i) bias.push_back(static_cast<float>(rng.uniform(-1, 1)));
  }

  float element(const Stored& from, std::int64_t time, std::int64_t row, std::int64_t column) const {
    const Dims& strides = from.view.strides;
    return arrays[from.array.index()]
                 [static_cast<std::size_t>(time * strides[0] + row * strides[1] + column * strides[2])];
  }

  /// With bias and what is added.
  double expected(std::int64_t time, std::int64_t row, std::int64_t column) const {
    double sum = bias[static_cast<std::size_t>(column)];
    for (std::int64_t k = 0; k < a.view.dims[2]; ++k)
      sum += static_cast<double>(element(a, time, row, k)) * static_cast<double>(element(b, time, k, column));
    return sum + static_cast<double>(element({ArrayId(3), c.view}, time, row, column));
  }

  std::unique_ptr<ComputedProduct> step() const {
    const ProductFinish add{.kind = ProductFinish::Kind::add, .row = c.view.dims[2], .block = kProductBlock};
    return std::make_unique<ComputedProduct>(ComputedProduct::Matrices{a, b, c}, bias,
                                             std::vector<ProductStep::Finish>{{add, {.array = ArrayId(3)}}});
  }

  void run() {
    const auto product = step();
    std::vector<float> scratch(product->scratch_bytes() / sizeof(float));
    std::vector<std::byte*> addresses;
    for (std::vector<float>& each : arrays) addresses.push_back(reinterpret_cast<std::byte*>(each.data()));
    product->run({.arrays = addresses, .scratch = reinterpret_cast<std::byte*>(scratch.data())});
  }

  static constexpr std::int64_t kTimes = 3;
  Stored a, b, c;
  std::vector<std::vector<float>> arrays;  // what is multiplied, results, what is added
  std::vector<float> bias;
};

class ComputedProductTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!PackedProduct::is_available()) GTEST_SKIP() << "this processor has no AVX-512";
  }
};

constexpr std::int64_t kStackSizes[][3] = {{1, 1, 1}, {5, 7, 16}, {13, 17, 33}, {40, 64, 48}, {70, 1030, 19}};
using Lies = RandomStack::Lies;

TEST_F(ComputedProductTest, MultipliesStacksHoweverTheSecondLies) {
  Rng rng(3);
  for (const auto& [rows, depth, columns] : kStackSizes)
    for (const Lies lies : {Lies::by_rows, Lies::by_columns, Lies::apart}) {
      RandomStack stack(rng, rows, depth, columns, lies);
      stack.run();
      for (std::int64_t time = 0; time < RandomStack::kTimes; ++time)
        for (std::int64_t row = 0; row < rows; ++row)
          for (std::int64_t column = 0; column < columns; ++column)
            ASSERT_NEAR(stack.element(stack.c, time, row, column), stack.expected(time, row, column), 1e-4)
                << rows << "x" << depth << "x" << columns << " at " << time << "," << row << "," << column;
    }
}

TEST_F(ComputedProductTest, GivesTheSameBitsOnAnyNumberOfThreads) {
  Rng rng(4);
  const std::size_t before = thread_count();
  RandomStack one(rng, 70, 300, 200, Lies::by_columns);
  RandomStack shared_times = one, shared_rows = one;
  set_thread_count(1);
  one.run();
  set_thread_count(2);
  shared_times.run();
  set_thread_count(RandomStack::kTimes + 1);  // more than there are matrices
  shared_rows.run();
  set_thread_count(before);
  EXPECT_EQ(one.arrays[2], shared_times.arrays[2]);
  EXPECT_EQ(one.arrays[2], shared_rows.arrays[2]);
}

TEST_F(ComputedProductTest, PacksWhatAllMatricesShareOnce) {
  Rng rng(5);
  RandomStack stack(rng, 9, 20, 21, Lies::by_columns);
  stack.b.view.strides[0] = 0;
  stack.run();
  for (std::int64_t time = 0; time < RandomStack::kTimes; ++time)
    EXPECT_NEAR(stack.element(stack.c, time, 8, 20), stack.expected(time, 8, 20), 1e-4);
}

}  // namespace
}  // namespace hone::native

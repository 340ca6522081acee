#include "run/native/tile_program.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/random.h"
#include "graph/loops/interpret.h"
#include "run/native/nest_of_one_test.h"

namespace hone::native {
namespace {

void expect_as_interpreted(const LoopNest& nest, std::vector<float> a, std::vector<float> b) {
  std::vector<float> expected(a.size(), 7), found(a.size(), 7);
  void* for_meaning[] = {a.data(), b.data(), expected.data()};
  interpret(nest, for_meaning);
  const TileProgram program(nest);
  std::vector<std::byte> scratch(program.scratch_bytes() + 64);
  void* aligned = scratch.data();
  std::size_t space = scratch.size();
  std::align(64, program.scratch_bytes(), aligned, space);
  void* for_tiles[] = {a.data(), b.data(), found.data()};
  program.run(for_tiles, static_cast<std::byte*>(aligned));
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (std::isnan(expected[i])) {
      ASSERT_TRUE(std::isnan(found[i])) << text_of(nest) << " at " << i << " of " << a[i] << ", " << b[i];
      continue;
    }
    if (expected[i] == found[i]) continue;
    ASSERT_NEAR(found[i], expected[i], 3e-6 * std::fmax(1.0, std::fabs(expected[i])))
        << text_of(nest) << " at " << i << " of " << a[i] << ", " << b[i];
  }
}

std::vector<float> random_elements(Rng& rng, std::int64_t count) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kSpecial[] = {0.0F, -0.0F, kInfinity, -kInfinity, std::numeric_limits<float>::quiet_NaN(),
                                100,  -100,  1e-30F};
  std::vector<float> elements;
  for (std::int64_t i = 0; i < count; ++i)
    elements.push_back(rng.below(20) == 0 ? kSpecial[rng.below(std::size(kSpecial))]
                                          : static_cast<float>(rng.uniform(-6, 6)));
  return elements;
}

TEST(TileProgramTest, AgreesWithTheMeaningOfEveryOperation) {
  Rng rng(1);
  for (auto op = static_cast<int>(LoopOp::negate); op <= static_cast<int>(LoopOp::row_maximum); ++op) {
    const auto operation = static_cast<LoopOp>(op);
    const bool needs_other = operation == LoopOp::inverse || operation == LoopOp::both || operation == LoopOp::either ||
                             operation == LoopOp::unlike || operation == LoopOp::select ||
                             operation == LoopOp::spread || operation == LoopOp::to_integer ||
                             operation == LoopOp::to_real || operation == LoopOp::to_wide ||
                             operation == LoopOp::bit_and || operation == LoopOp::shift_left ||
                             operation == LoopOp::shift_right;  // than floats
    const bool grows = operation == LoopOp::row_product || operation == LoopOp::sine || operation == LoopOp::cosine;
    if (needs_other || grows) continue;
    for (const auto& [rows, columns] : {std::pair(1, 5000), std::pair(3, 17), std::pair(40, 64), std::pair(700, 3)})
      for (const bool by_row : {false, true}) {
        if (by_row && operand_count(operation) == 1) continue;
        SCOPED_TRACE(name_of(operation));
        expect_as_interpreted(nest_of_one(operation, rows, columns, by_row), random_elements(rng, rows * columns),
                              random_elements(rng, rows * columns));
        if (HasFatalFailure()) return;
      }
  }
}

TEST(TileProgramTest, FoldsRowsWithoutPointsIntoWhatChangesNothing) {
  LoopNest nest = nest_of_one(LoopOp::row_sum, 4, 0, false);
  std::vector<float> nothing(4, 1), result(4, 7);
  void* arrays[] = {nothing.data(), nothing.data(), result.data()};
  const TileProgram program(nest);
  std::vector<std::byte> scratch(program.scratch_bytes() + 64);
  program.run(arrays, scratch.data());
  EXPECT_EQ(result, std::vector<float>(4, 0));
}

TEST(TileProgramTest, LoadsNothingForRowsWithoutPoints) {
  LoopNest nest = nest_of_one(LoopOp::row_sum, 4, 0, false);
  nest.operands[0].strides = {0, 0};
  std::vector<float> result(4, 7);
  void* arrays[] = {nullptr, nullptr, result.data()};
  const TileProgram program(nest);
  std::vector<std::byte> scratch(program.scratch_bytes() + 64);
  program.run(arrays, scratch.data());
  EXPECT_EQ(result, std::vector<float>(4, 0));
}

}  // namespace
}  // namespace hone::native

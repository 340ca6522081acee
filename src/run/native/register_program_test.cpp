#include "run/native/register_program.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>

#include "base/random.h"
#include "graph/loops/interpret.h"
#include "graph/loops/loop_body.h"

namespace hone::native {
namespace {

constexpr VectorSet kSets[] = {VectorSet::avx2, VectorSet::avx512};

bool has_vectors(VectorSet set) {
  return set == VectorSet::avx2 ? __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")
                                : __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

/// Arrays of floats for a nest, with guards before and after, in which nothing may be written.
struct NestArrays {
  explicit NestArrays(const LoopNest& nest) {
    for (const LoopOperand& operand : nest.operands) {
      std::int64_t span = 1;
      for (std::size_t axis = 0; axis < nest.extents.size(); ++axis)
        span += (nest.extents[axis] - 1) * operand.strides[axis];
      elements.emplace_back(static_cast<std::size_t>(span) + 2 * kGuard, 7.0F);
    }
  }
  void fill(Rng& rng, std::size_t operand) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    constexpr float kSpecial[] = {0.0F, -0.0F, kInfinity, -kInfinity, std::numeric_limits<float>::quiet_NaN(),
                                  100,  -100,  1e-30F};
    for (std::size_t i = kGuard; i + kGuard < elements[operand].size(); ++i)
      elements[operand][i] =
          rng.below(40) == 0 ? kSpecial[rng.below(std::size(kSpecial))] : static_cast<float>(rng.uniform(-6, 6));
  }
  std::vector<void*> pointers() {
    std::vector<void*> starts;
    for (std::vector<float>& array : elements) starts.push_back(array.data() + kGuard);
    return starts;
  }

  static constexpr std::size_t kGuard = 16;
  std::vector<std::vector<float>> elements;
};

void run_in_parts(const RegisterProgram& program, std::span<void* const> arrays) {
  std::vector<std::byte> scratch(program.scratch_bytes() + 64);
  void* aligned = scratch.data();
  std::size_t space = scratch.size();
  std::align(64, program.scratch_bytes(), aligned, space);
  const std::int64_t half = program.tile_count() / 2;
  program.run(arrays, static_cast<std::byte*>(aligned), half, program.tile_count());
  program.run(arrays, static_cast<std::byte*>(aligned), 0, half);
}

/// What the code writes is near what the nest means, and the rest is as it was.
void expect_as_meant(const LoopNest& nest, std::uint64_t seed, double tolerance = 3e-6) {
  Rng rng(seed);
  NestArrays expected(nest);
  for (const LoopInstruction& step : nest.code)
    if (step.op == LoopOp::load) expected.fill(rng, step.operand);
  const NestArrays given = expected;
  interpret(nest, expected.pointers());
  for (const VectorSet set : kSets) {
    if (!has_vectors(set)) continue;
    const auto program = RegisterProgram::of(nest, set);
    ASSERT_TRUE(program) << text_of(nest);
    NestArrays found = given;
    run_in_parts(*program, found.pointers());
    for (std::size_t k = 0; k < found.elements.size(); ++k)
      for (std::size_t i = 0; i < found.elements[k].size(); ++i) {
        const float a = found.elements[k][i], b = expected.elements[k][i];
        if (a == b || (std::isnan(a) && std::isnan(b))) continue;
        ASSERT_NEAR(a, b, tolerance * std::fmax(1.0, std::fabs(b)))
            << text_of(nest) << "array " << k << " at " << i << " with vectors of "
            << (set == VectorSet::avx2 ? 8 : 16);
      }
  }
}

/// A nest of one operation on two arrays of rows, the second of which may have one element a row.
LoopNest nest_of_one(LoopOp op, std::int64_t rows, std::int64_t columns, bool second_by_row) {
  LoopNest nest{.extents = {rows, columns}};
  nest.operands = {{.strides = {columns, 1}}, {.strides = {second_by_row ? 1 : columns, second_by_row ? 0 : 1}}};
  LoopBody body;
  const LoopValue a = body.load(0, ElementType::float32, false);
  LoopValue result = a;
  if (operand_count(op) == 1) result = body.apply(op, {a});
  else result = body.apply(op, {a, body.load(1, ElementType::float32, second_by_row)});
  if (body[result].type == LoopType::truth) result = body.as(LoopType::real, result);
  nest.code = body.code();
  const bool by_row = body[result].per_row;
  nest.operands.push_back({.strides = {by_row ? 1 : columns, by_row ? 0 : 1}});
  nest.stores = {{.value = result.number, .operand = 2}};
  return nest;
}

bool has_code(LoopOp op) {
  switch (op) {
    case LoopOp::sine:
    case LoopOp::cosine:
    case LoopOp::power:
    case LoopOp::modulo:
    case LoopOp::inverse:
    case LoopOp::both:
    case LoopOp::either:
    case LoopOp::unlike:
    case LoopOp::select:
    case LoopOp::spread:
    case LoopOp::to_integer:
    case LoopOp::row_product:
    case LoopOp::to_real: return false;
    default: return true;
  }
}

TEST(RegisterProgramTest, AgreesWithTheMeaningOfEveryOperation) {
  std::uint64_t seed = 1;
  for (auto op = static_cast<int>(LoopOp::negate); op <= static_cast<int>(LoopOp::row_maximum); ++op) {
    const auto operation = static_cast<LoopOp>(op);
    if (!has_code(operation)) continue;
    for (const auto& [rows, columns] : {std::pair(1, 5000), std::pair(3, 17), std::pair(40, 64), std::pair(70, 9)})
      for (const bool by_row : {false, true}) {
        if (by_row && operand_count(operation) == 1) continue;
        SCOPED_TRACE(name_of(operation));
        expect_as_meant(nest_of_one(operation, rows, columns, by_row), ++seed);
        if (HasFatalFailure()) return;
      }
  }
}

/// Softmax of scaled rows, plus something by column.
LoopNest softmax_nest(const Dims& extents, const Dims& reads, const Dims& writes) {
  LoopNest nest{.extents = extents};
  Dims by_column(extents.size(), 0);
  by_column.back() = 1;
  nest.operands = {{.strides = reads}, {.strides = by_column}, {.strides = writes}};
  LoopBody body;
  const LoopValue x = body.multiply(body.load(0, ElementType::float32, false), body.real(0.5));
  const LoopValue power = body.apply(LoopOp::exp, {body.subtract(x, body.apply(LoopOp::row_maximum, {x}))});
  const LoopValue share = body.multiply(power, body.apply(LoopOp::reciprocal, {body.apply(LoopOp::row_sum, {power})}));
  const LoopValue result = body.add(share, body.load(1, ElementType::float32, false));
  nest.code = body.code();
  nest.stores = {{.value = result.number, .operand = 2}};
  return nest;
}

TEST(RegisterProgramTest, FoldsRowsThatLieAlongOrAcross) {
  for (const std::int64_t columns : {1, 5, 16, 31, 64, 100, 333}) {
    for (const std::int64_t rows : {1, 7, 16, 33, 130}) {
      expect_as_meant(softmax_nest({2, rows, columns}, {rows * columns, columns, 1}, {rows * columns, columns, 1}), 3);
      expect_as_meant(softmax_nest({2, rows, columns}, {rows * columns, 1, rows}, {rows * columns, 1, rows}), 4);
      expect_as_meant(softmax_nest({2, rows, columns}, {rows * columns, 1, rows}, {rows * columns, columns, 1}), 5);
      if (HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace hone::native

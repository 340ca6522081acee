#include "run/native/register_program.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>

#include "base/random.h"
#include "graph/loops/group_nest.h"
#include "graph/loops/interpret.h"
#include "graph/loops/loop_body.h"
#include "run/native/nest_of_one_test.h"

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
  void fill_plainly(Rng& rng, std::size_t operand) {
    for (std::size_t i = kGuard; i + kGuard < elements[operand].size(); ++i)
      elements[operand][i] = static_cast<float>(rng.uniform(-1, 1));
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
  const bool is_special = tolerance < 1e-4;
  Rng rng(seed);
  NestArrays expected(nest);
  for (const LoopInstruction& step : nest.code)
    if (step.op == LoopOp::load)
      is_special ? expected.fill(rng, step.operand) : expected.fill_plainly(rng, step.operand);
  const NestArrays given = expected;
  interpret(nest, expected.pointers());
  for (const VectorSet set : kSets) {
    if (!has_vectors(set)) continue;
    const auto program = RegisterProgram::of(nest, set);
    if (set == VectorSet::avx2 && !program && !is_special) continue;  // it has half as many registers
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
    case LoopOp::to_wide:
    case LoopOp::bit_and:
    case LoopOp::shift_left:
    case LoopOp::shift_right:
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

TEST(RegisterProgramTest, KeepsARowValueThatIsStoredAndReadLater) {
  LoopNest nest{.extents = {5, 40}};
  nest.operands = {{.strides = {1, 0}}, {.strides = {40, 1}}, {.strides = {1, 0}}, {.strides = {1, 0}}};
  LoopBody body;
  const LoopValue row = body.apply(LoopOp::absolute, {body.load(0, ElementType::float32, true)});
  const LoopValue sum = body.apply(LoopOp::row_sum, {body.load(1, ElementType::float32, false)});
  const LoopValue larger = body.apply(LoopOp::maximum, {row, sum});
  nest.code = body.code();
  nest.stores = {{.value = row.number, .operand = 2}, {.value = larger.number, .operand = 3}};
  expect_as_meant(nest, 6);
}

TEST(RegisterProgramTest, RefusesWhatItHasNoInstructionsFor) {
  LoopNest integers{.extents = {4, 64}};
  integers.operands = {{.element = ElementType::int64, .strides = {64, 1}},
                       {.element = ElementType::int64, .strides = {64, 1}}};
  LoopBody body;
  const LoopValue twice = body.add(body.load(0, ElementType::int64, false), body.load(0, ElementType::int64, false));
  integers.code = body.code();
  integers.stores = {{.value = twice.number, .operand = 1}};
  EXPECT_FALSE(RegisterProgram::of(integers));
  EXPECT_FALSE(RegisterProgram::of(nest_of_one(LoopOp::power, 4, 64, false)));
  EXPECT_FALSE(RegisterProgram::of(nest_of_one(LoopOp::row_sum, 4, 0, false)));
}

TEST(RegisterProgramTest, ReadsAndWritesTruths) {
  if (!has_vectors(VectorSet::avx512)) GTEST_SKIP() << "only wide vectors have code for bytes";
  for (const std::int64_t columns : {9, 16, 100}) {
    LoopNest nest{.extents = {7, columns}};
    nest.operands = {{.element = ElementType::boolean, .strides = {columns, 1}},
                     {.element = ElementType::boolean, .strides = {1, 0}},
                     {.strides = {columns, 1}},
                     {.element = ElementType::boolean, .strides = {columns, 1}},
                     {.strides = {columns, 1}}};
    LoopBody body;
    const LoopValue given = body.load(0, ElementType::boolean, false),
                    by_row = body.load(1, ElementType::boolean, true);
    const LoopValue x = body.load(2, ElementType::float32, false);
    const LoopValue truth = body.apply(
        LoopOp::unlike, {body.apply(LoopOp::both, {given, by_row}), body.apply(LoopOp::less, {x, body.real(1)})});
    const LoopValue chosen = body.apply(LoopOp::select, {truth, x, body.real(-3)});
    nest.code = body.code();
    nest.stores = {{.value = truth.number, .operand = 3}, {.value = chosen.number, .operand = 4}};
    nest = settled_rows(nest);
    Rng rng(9);
    std::vector<std::uint8_t> points, rows;
    std::vector<float> reals;
    for (std::int64_t i = 0; i < 7 * columns; ++i) points.push_back(static_cast<std::uint8_t>(rng.below(2)));
    for (int i = 0; i < 7; ++i) rows.push_back(static_cast<std::uint8_t>(rng.below(2)));
    for (std::int64_t i = 0; i < 7 * columns; ++i) reals.push_back(static_cast<float>(rng.uniform(-2, 4)));
    std::vector<std::uint8_t> expected_truths(points.size() + 64, 7), found_truths = expected_truths;
    std::vector<float> expected(reals.size(), 7), found = expected;
    void* for_meaning[] = {points.data(), rows.data(), reals.data(), expected_truths.data(), expected.data()};
    void* for_code[] = {points.data(), rows.data(), reals.data(), found_truths.data(), found.data()};
    interpret(nest, for_meaning);
    const auto program = RegisterProgram::of(nest);
    ASSERT_TRUE(program);
    run_in_parts(*program, for_code);
    EXPECT_EQ(found_truths, expected_truths);
    EXPECT_EQ(found, expected);
  }
}

/// Random nests of operations that do not make small differences large, with arrays that lie in any order, broadcast
/// and with gaps.
class RandomNest {
 public:
  explicit RandomNest(std::uint64_t seed) : rng_(seed) {}

  LoopNest make() {
    const std::size_t axes = 2 + rng_.below(3);
    static constexpr std::int64_t kExtents[] = {1, 2, 3, 8, 15, 16, 17, 33, 70};
    for (std::size_t i = 0; i < axes; ++i) nest_.extents.push_back(kExtents[rng_.below(axes > 3 ? 6 : 9)]);
    const std::size_t steps = 1 + rng_.below(14);
    add_load();
    for (std::size_t i = 0; i < steps; ++i) add_step();
    const std::size_t stores = 1 + rng_.below(3);
    for (std::size_t i = 0; i < stores; ++i) add_store(i == 0 ? values_.back() : any());
    nest_.code = body_.code();
    return settled_rows(nest_);
  }

 private:
  /// Strides of an array that lies in a random order of axes, some of which it may not have.
  Dims random_strides(bool may_broadcast) {
    std::vector<std::size_t> order(nest_.extents.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    if (rng_.below(3) == 0)
      for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[rng_.below(i)]);
    Dims strides(nest_.extents.size(), 0);
    std::int64_t stride = rng_.below(8) == 0 ? 2 : 1;
    for (std::size_t i = order.size(); i-- > 0;) {
      if (may_broadcast && rng_.below(4) == 0) continue;
      strides[order[i]] = stride;
      stride *= nest_.extents[order[i]];
    }
    return strides;
  }

  void add_load() {
    nest_.operands.push_back({.strides = random_strides(true)});
    const bool by_row = nest_.operands.back().strides.back() == 0;
    values_.push_back(body_.load(static_cast<std::uint32_t>(nest_.operands.size() - 1), ElementType::float32, by_row));
    exact_.push_back(values_.back());
  }

  LoopValue any() { return values_[rng_.below(values_.size())]; }

  void add_step() {
    static constexpr LoopOp kOne[] = {LoopOp::negate,  LoopOp::absolute, LoopOp::tanh,
                                      LoopOp::sigmoid, LoopOp::erf,      LoopOp::exp};
    static constexpr LoopOp kTwo[] = {LoopOp::add, LoopOp::subtract, LoopOp::multiply, LoopOp::maximum,
                                      LoopOp::minimum};
    static constexpr LoopOp kFolds[] = {LoopOp::row_sum, LoopOp::row_maximum, LoopOp::row_minimum};
    switch (rng_.below(6)) {
      case 0: return add_load();
      case 1: {
        const LoopOp op = kOne[rng_.below(std::size(kOne))];
        const LoopValue x = any();
        return values_.push_back(body_.apply(op, {op == LoopOp::exp ? body_.apply(LoopOp::tanh, {x}) : x}));
      }
      case 2: {
        const LoopValue x = exact_[rng_.below(exact_.size())], y = exact_[rng_.below(exact_.size())];
        const LoopValue truth = body_.apply(LoopOp::less, {x, rng_.below(2) == 0 ? y : body_.real(0.25)});
        return values_.push_back(body_.apply(LoopOp::select, {truth, any(), any()}));
      }
      case 3: {
        const LoopValue x = any();
        if (body_[x].per_row) return;
        const LoopValue folded = body_.apply(kFolds[rng_.below(std::size(kFolds))], {x});
        return values_.push_back(body_.multiply(folded, body_.real(0.1)));
      }
      default: return values_.push_back(body_.apply(kTwo[rng_.below(std::size(kTwo))], {any(), any()}));
    }
  }

  void add_store(LoopValue value) {
    Dims strides = random_strides(false);
    if (body_[value].per_row && rng_.below(2) == 0) {
      // One element a row: what is left of the strides lies apart, which does no harm.
      strides.back() = 0;
    } else if (body_[value].per_row) {
      value = body_.apply(LoopOp::spread, {value});
    }
    nest_.operands.push_back({.strides = strides});
    nest_.stores.push_back({.value = value.number, .operand = static_cast<std::uint32_t>(nest_.operands.size() - 1)});
  }

  Rng rng_;
  LoopNest nest_;
  LoopBody body_;
  std::vector<LoopValue> values_, exact_;
};

TEST(RegisterProgramTest, RunsRandomNestsAsMeant) {
  int made = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    const LoopNest nest = RandomNest(seed).make();
    if (!RegisterProgram::of(nest, has_vectors(VectorSet::avx512) ? VectorSet::avx512 : VectorSet::avx2)) continue;
    ++made;
    expect_as_meant(nest, seed, 1e-3);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(made, 250);
}

TEST(RegisterCodeTest, NestsWithTheSameCodeShareIt) {
  if (!has_vectors(VectorSet::avx2)) GTEST_SKIP() << "no AVX2";
  const auto code_of = [](LoopOp op) {
    CodeRequest request{.nest = nest_of_one(op, 6, 40, false), .lies_in_scratch = std::vector<bool>(3, false)};
    add_first_axis(request.nest);
    return RegisterCode::of(request);
  };
  const auto sum = code_of(LoopOp::add), other_sum = code_of(LoopOp::add), product = code_of(LoopOp::multiply);
  ASSERT_TRUE(sum && other_sum && product);
  EXPECT_TRUE(sum->shares_code_with(*other_sum));
  EXPECT_FALSE(sum->shares_code_with(*product));
}

}  // namespace
}  // namespace hone::native

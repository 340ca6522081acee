#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "base/random.h"

namespace hone {

/// HLO text of a random module: pointwise work, reductions (of one and of two arrays), broadcasts, matrix products,
/// barriers around tuples, constants of all sorts.
class RandomModule {
 public:
  RandomModule(std::uint64_t seed, std::size_t count) : rng_(seed) {
    line(matrices_, "p0", "f32[4,8]{1,0}", "parameter(0)");
    line(squares_, "p1", "f32[8,8]{1,0}", "parameter(1)");
    line(rows_, "ones", "f32[4]{0}", "constant({1, 2, 3, 4})");
    line(scalars_, "zero", "f32[]", "constant(0)");
    line(scalars_, "two", "f32[]", "constant(2)");
    for (std::size_t i = 0; i < count; ++i) add_one();
    const std::vector<std::string> all = any_few();
    std::string shapes, names;
    for (const std::string& name : all) {
      shapes += (shapes.empty() ? "" : ", ") + std::string("f32[4,8]{1,0}");
      names += (names.empty() ? "%" : ", %") + name;
    }
    body_ += rng_.below(3) == 0 ? fmt::format("  ROOT %last = f32[4,8]{{1,0}} negate(%{})\n", all.front())
                                : fmt::format("  ROOT %results = ({}) tuple({})\n", shapes, names);
  }

  std::string text() const {
    return R"(HloModule random

sum {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT s = f32[] add(x, y)
}

sums {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  c = f32[] parameter(2)
  d = f32[] parameter(3)
  e = f32[] add(a, c)
  f = f32[] maximum(b, d)
  ROOT g = (f32[], f32[]) tuple(e, f)
}

ENTRY main {
)" + body_ +
           "}\n";
  }

 private:
  using Names = std::vector<std::string>;

  const std::string& any(const Names& names) { return names[rng_.below(names.size())]; }

  std::vector<std::string> any_few() {
    Names few;
    for (std::size_t i = 0; i <= rng_.below(4); ++i) few.push_back(any(matrices_));
    return few;
  }

  void line(Names& names, const std::string& name, std::string_view shape, const std::string& rest) {
    body_ += fmt::format("  %{} = {} {}\n", name, shape, rest);
    names.push_back(name);
  }

  /// One more instruction, or several that belong together.
  void add_one() {
    const std::string name = fmt::format("v{}", ++last_);
    const std::string note = fmt::format(", metadata={{op_name=\"{}\"}}", name);
    const std::string& x = any(matrices_);
    switch (rng_.below(8)) {
      case 0: return line(matrices_, name, "f32[4,8]{1,0}", fmt::format("exponential(%{}){}", x, note));
      case 1:
      case 2: return line(matrices_, name, "f32[4,8]{1,0}", fmt::format("add(%{}, %{}){}", x, any(matrices_), note));
      case 3:
        return line(rows_, name, "f32[4]{0}",
                    fmt::format("reduce(%{}, %{}), dimensions={{1}}, to_apply=%sum{}", x, any(scalars_), note));
      case 4:
        return line(matrices_, name, "f32[4,8]{1,0}",
                    fmt::format("broadcast(%{}), dimensions={{0}}{}", any(rows_), note));
      case 5:
        return line(matrices_, name, "f32[4,8]{1,0}",
                    fmt::format("dot(%{}, %{}), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}{}", x,
                                any(squares_), note));
      case 6: return add_two_reductions(name, x, note);
      default: return add_barrier(name, x, note);
    }
  }

  void add_two_reductions(const std::string& name, const std::string& x, const std::string& note) {
    Names pairs;
    line(pairs, name, "(f32[4]{0}, f32[4]{0})",
         fmt::format("reduce(%{}, %{}, %zero, %{}), dimensions={{1}}, to_apply=%sums{}", x, any(matrices_),
                     any(scalars_), note));
    for (int i = 0; i < 2; ++i)
      line(rows_, fmt::format("{}.{}", name, i), "f32[4]{0}", fmt::format("get-tuple-element(%{}), index={}", name, i));
  }

  void add_barrier(const std::string& name, const std::string& x, const std::string& note) {
    constexpr std::string_view kPair = "(f32[4,8]{1,0}, f32[4,8]{1,0})";
    Names pairs;
    line(pairs, name + ".pair", kPair, fmt::format("tuple(%{}, %{})", x, any(matrices_)));
    line(pairs, name, kPair, fmt::format("opt-barrier(%{}.pair){}", name, note));
    line(matrices_, name + ".second", "f32[4,8]{1,0}", fmt::format("get-tuple-element(%{}), index=1", name));
  }

  Rng rng_;
  std::size_t last_ = 0;
  std::string body_;
  Names matrices_, squares_, rows_, scalars_;
};

}  // namespace hone

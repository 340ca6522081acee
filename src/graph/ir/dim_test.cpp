#include "graph/ir/dim.h"

#include <gtest/gtest.h>

#include <map>

#include "base/random.h"

namespace hone {
namespace {

const Dim kA = Dim::symbol("a"), kB = Dim::symbol("b");

TEST(DimTest, EqualExpressionsAreEqualDims) {
  EXPECT_EQ((kA + kB) * (kA + kB), kA * kA + kB * kA * 2 + kB * kB);
  EXPECT_EQ(kA - kA, Dim(0));
  EXPECT_EQ(maximum(kA, kB), maximum(kB, kA));
  EXPECT_EQ(minimum(kA, Dim(3)), minimum(Dim(3), kA));
  EXPECT_NE(kA, kB);
}

TEST(DimTest, TextIsCanonical) {
  EXPECT_EQ((kB * 2 + 1 + kA).text(), "a + 2*b + 1");
  EXPECT_EQ((Dim(3) - kA).text(), "-a + 3");
  EXPECT_EQ(floor_div(kA + 1, 2).text(), "floor((a + 1)/(2))");
  EXPECT_EQ(Dim().text(), "?");
}

TEST(DimTest, DivisionsThatComeOutEvenDisappear) {
  EXPECT_EQ(floor_div(kA * 4 + kB * 2, 2), kA * 2 + kB);
  EXPECT_EQ(floor_div(kA * kB * 6, kB * 3), kA * 2);
  EXPECT_EQ(ceil_div(Dim(7), Dim(2)), Dim(4));
  EXPECT_EQ(floor_div(Dim(-7), Dim(2)), Dim(-4));
  EXPECT_EQ(remainder(kA * 8, 8), Dim(0));
  EXPECT_TRUE(floor_div(kA, 0).unknown());
}

TEST(DimTest, UnknownSpreadsExceptThroughZero) {
  EXPECT_TRUE((Dim() + 1).unknown());
  EXPECT_TRUE((Dim() * kA).unknown());
  EXPECT_EQ(Dim() * 0, Dim(0));
}

TEST(DimTest, BeyondTheRangeIsUnknown) {
  const Dim large = std::int64_t{1} << 60;
  EXPECT_TRUE((large * 4).unknown());
  EXPECT_TRUE((large + large).unknown());
  EXPECT_TRUE((kA * large * 4).unknown());
}

TEST(DimTest, NamesKeepTheirTextAndExpressionsReadBack) {
  for (const char* name : {"past + 1", "2*a*b - 3", "max(a, b)", "floor((a + 1)/(2))", "a+1", "b + a", "8", "?", "",
                           "x y", "`q`", "a b + c", "unk__12", "-", "max(a", "N/2"})
    EXPECT_EQ(Dim::symbol(name).text(), name);
  EXPECT_EQ(Dim::symbol("a + 1"), kA + 1);
  EXPECT_EQ(Dim::symbol("2*a*b - 3"), kA * kB * 2 - 3);
  EXPECT_NE(Dim::symbol("a+1"), kA + 1);
  EXPECT_TRUE(Dim::symbol("8").symbolic());
  const Dim odd = Dim::symbol("x y") * 2 + Dim::symbol("z`");
  EXPECT_EQ(Dim::symbol(odd.text()), odd);
}

TEST(DimTest, AnOddNameIsNotTheExpressionItLooksLike) {
  // "q  + 1" is a name, (q ) + 1 an expression over the name "q ".
  EXPECT_NE(Dim::symbol("q  + 1"), Dim::symbol("q ") + 1);
}

/// A random expression and, in step, its value for given symbols (or none when it left the range of dims).
struct Evaluated {
  Dim dim;
  std::optional<std::int64_t> value;
};

Evaluated random_expression(Rng& rng, const std::map<std::string, std::int64_t, std::less<>>& values, int depth) {
  if (depth == 0 || rng.below(4) == 0) {
    const std::int64_t number = rng.between(-5, 5);
    if (rng.below(2) == 0) return {number, number};
    auto symbol = values.begin();
    std::advance(symbol, static_cast<std::ptrdiff_t>(rng.below(values.size())));
    return {Dim::symbol(symbol->first), symbol->second};
  }
  const Evaluated x = random_expression(rng, values, depth - 1), y = random_expression(rng, values, depth - 1);
  const auto floored = [](std::int64_t a, std::int64_t b) {
    return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
  };
  switch (rng.below(6)) {
    case 0: return {x.dim + y.dim, *x.value + *y.value};
    case 1: return {x.dim - y.dim, *x.value - *y.value};
    case 2: return {x.dim * y.dim, *x.value * *y.value};
    case 3: return {maximum(x.dim, y.dim), std::max(*x.value, *y.value)};
    case 4: return {minimum(x.dim, y.dim), std::min(*x.value, *y.value)};
    default: return *y.value == 0 ? x : Evaluated{floor_div(x.dim, y.dim), floored(*x.value, *y.value)};
  }
}

TEST(DimTest, SubstitutionAgreesWithArithmetic) {
  Rng rng(1);
  const std::map<std::string, std::int64_t, std::less<>> values = {{"a", 3}, {"b", 7}, {"odd name", 2}};
  const auto value_of = [&](std::string_view name) { return std::optional(values.find(name)->second); };
  int known = 0;
  for (int i = 0; i < 3000; ++i) {
    const Evaluated expression = random_expression(rng, values, 4);
    const Dim result = expression.dim.substitute(value_of);
    if (!result.known()) continue;  // an expression that grew too long, or a quotient by an expression that is 0
    ++known;
    ASSERT_EQ(result.value(), *expression.value) << expression.dim.text();
  }
  EXPECT_GT(known, 2000);
}

TEST(DimTest, SubstitutionKeepsWhatHasNoValue) {
  const auto only_a = [](std::string_view name) { return name == "a" ? std::optional<std::int64_t>(4) : std::nullopt; };
  EXPECT_EQ((kA * kB + maximum(kA, kB)).substitute(only_a), kB * 4 + maximum(4, kB));
}

}  // namespace
}  // namespace hone

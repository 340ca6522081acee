#include "graph/ops/convert.h"
#include "graph/ops/one_node_test.h"

namespace hone {
namespace {

Attributes to(ElementType type) { return {{"to", static_cast<std::int64_t>(type), "", {}}}; }
Tensor cast(const Tensor& x, ElementType type, Attributes more = {}) {
  Attributes attributes = to(type);
  attributes.insert(attributes.end(), more.begin(), more.end());
  return run_node({"Cast", 24, attributes}, {x})[0];
}

TEST(CastTest, RealsTruncateAndIntegersWrap) {
  expect_numbers(cast(floats({1.9f, -1.9f, 300}, {3}), ElementType::int8), {3}, {1, -1, 44});
  expect_numbers(cast(int64s({-1, 256, 5}, {3}), ElementType::uint8), {3}, {255, 0, 5});
  expect_numbers(cast(floats({0, 0.1f, kNaN}, {3}), ElementType::boolean), {3}, {0, 1, 1});
  expect_numbers(cast(floats({kNaN}, {1}), ElementType::int32), {1}, {0});
}

TEST(CastTest, KeepsAllBitsOfWideIntegers) {
  const std::int64_t odd = (std::int64_t{1} << 62) + 1;
  EXPECT_EQ(cast(int64s({odd}, {1}), ElementType::uint64).values<std::uint64_t>()[0], static_cast<std::uint64_t>(odd));
  const Tensor largest = Tensor::of<std::uint64_t>({UINT64_MAX}, {1});
  EXPECT_EQ(cast(largest, ElementType::float64).values<double>()[0], 0x1.0p64);
  EXPECT_EQ(cast(largest, ElementType::string).strings()[0], "18446744073709551615");
}

TEST(CastTest, DoubleToHalfRoundsOnce) {
  // Just above the middle of two halves: through float it would become the middle and go down to even.
  const double above = 1 + 0x1.0p-11 + 0x1.0p-40;
  EXPECT_EQ(cast(Tensor::of<double>({above}, {1}), ElementType::float16).number_at(0), 1 + 0x1.0p-10);
  EXPECT_EQ(cast(Tensor::of<double>({-above}, {1}), ElementType::float16).number_at(0), -1 - 0x1.0p-10);
}

TEST(CastTest, NarrowFloatsSaturateUnlessTold) {
  const Tensor x = floats({1000, -kInfinity, 0.3f}, {3});
  expect_numbers(cast(x, ElementType::float8e4m3fn), {3}, {448, -448, 0.3125});
  const Attributes special = {{"saturate", std::int64_t{0}, "", {}}};
  expect_numbers(cast(x, ElementType::float8e4m3fn, special), {3}, {kNaN, kNaN, 0.3125});
  expect_numbers(cast(floats({1e6f}, {1}), ElementType::float8e5m2, special), {1}, {kInfinity});
  expect_numbers(cast(floats({9, -0.4f}, {2}), ElementType::float4e2m1), {2}, {6, -0.5});
}

TEST(CastTest, PowersOfTwoRoundAsAsked) {
  const Tensor x = floats({3, 2.5f, 4, 1e38f}, {4});
  const auto mode = [](std::string name) { return Attributes{{"round_mode", std::move(name), "", {}}}; };
  expect_numbers(cast(x, ElementType::float8e8m0), {4}, {4, 4, 4, 0x1.0p127});
  expect_numbers(cast(x, ElementType::float8e8m0, mode("down")), {4}, {2, 2, 4, 0x1.0p126});
  expect_numbers(cast(x, ElementType::float8e8m0, mode("nearest")), {4}, {4, 2, 4, 0x1.0p126});
  EXPECT_THROW(cast(x, ElementType::float8e8m0, mode("sideways")), InputError);
}

TEST(CastTest, SubByteIntegersPackAndWrap) {
  const Tensor packed = cast(Tensor::of<std::int8_t>({-8, 7, 9}, {3}), ElementType::int4);
  EXPECT_EQ(packed.bytes().size(), 2u);
  expect_numbers(packed, {3}, {-8, 7, -7});
  expect_numbers(cast(packed, ElementType::float32), {3}, {-8, 7, -7});
}

TEST(CastTest, ReadsAndWritesText) {
  const Tensor texts = Tensor::of<std::string>({"3.5", " -INF", "+1e3", "nan"}, {4});
  expect_numbers(cast(texts, ElementType::float32), {4}, {3.5, -kInfinity, 1000, kNaN});
  const Tensor whole = Tensor::of<std::string>({"9223372036854775807", "-3"}, {2});
  EXPECT_EQ(cast(whole, ElementType::int64).integers(), (std::vector<std::int64_t>{INT64_MAX, -3}));
  EXPECT_EQ(cast(floats({0.1f}, {1}), ElementType::string).strings()[0], "0.1");
  EXPECT_THROW(cast(Tensor::of<std::string>({"three"}, {1}), ElementType::float32), InputError);
}

TEST(CastTest, OpsetOneNamesTheType) {
  const OneNode node{"Cast", 1, {{"to", std::string("INT32"), "", {}}}};
  EXPECT_EQ(run_node(node, {floats({2.5f}, {1})})[0].type(), ElementType::int32);
  EXPECT_THROW(run_node({"Cast", 24, {{"to", std::int64_t{99}, "", {}}}}, {floats({1}, {1})}), InputError);
}

TEST(CastLikeTest, TakesTheTypeOfTheOther) {
  expect_numbers(run_node({"CastLike"}, {floats({2.7f}, {1}), int64s({}, {0})})[0], {1}, {2});
}

TEST(BitCastTest, KeepsTheBits) {
  const OneNode node{"BitCast", 26, to(ElementType::int32)};
  EXPECT_EQ(run_node(node, {floats({1, -0.0f}, {2})})[0].integers(),
            (std::vector<std::int64_t>{0x3F800000, INT32_MIN}));
  EXPECT_THROW(run_node(node, {int64s({1}, {1})}), InputError);
}

}  // namespace
}  // namespace hone

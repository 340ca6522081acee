#include "base/half.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/random.h"

namespace hone {
namespace {

using Specials = NarrowFloatFormat::Specials;

constexpr NarrowFloatFormat kHalf{5, 10, 15, Specials::ieee};
constexpr NarrowFloatFormat kE4M3fn{4, 3, 7, Specials::nan_only};
constexpr NarrowFloatFormat kE4M3fnuz{4, 3, 8, Specials::nan_is_negative_zero};
constexpr NarrowFloatFormat kE5M2{5, 2, 15, Specials::ieee};
constexpr NarrowFloatFormat kE5M2fnuz{5, 2, 16, Specials::nan_is_negative_zero};
constexpr NarrowFloatFormat kE2M1{2, 1, 1, Specials::none};

TEST(Float16Test, EveryCodeReadsBack) {
  for (std::uint32_t code = 0; code < 0x10000; ++code) {
    const float value = Float16::decode(static_cast<std::uint16_t>(code));
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(Float16::decode(Float16::encode(value))));
    } else {
      ASSERT_EQ(Float16::encode(value), code);
    }
  }
}

TEST(Float16Test, RoundsLikeTheGeneralCodec) {
  Rng rng(1);
  for (int i = 0; i < 200000; ++i) {
    // Around the range of half precision, subnormals and overflow included.
    const float value = std::ldexp(static_cast<float>(rng.uniform(-2, 2)), static_cast<int>(rng.between(-27, 17)));
    ASSERT_EQ(Float16::encode(value), encode_narrow(value, kHalf, false)) << value;
  }
}

TEST(Float16Test, TiesGoToEven) {
  EXPECT_EQ(Float16(1.0f + 0x1.0p-11f).bits, 0x3C00);
  EXPECT_EQ(Float16(1.0f + 0x1.8p-10f).bits, 0x3C02);
  EXPECT_EQ(Float16(65519.0f).bits, 0x7BFF);
  EXPECT_EQ(Float16(65520.0f).bits, 0x7C00);
  EXPECT_EQ(Float16(0x1.0p-25f).bits, 0);
  EXPECT_EQ(Float16(-0.0f).bits, 0x8000);
}

TEST(BFloat16Test, RoundsToEvenAndKeepsSpecials) {
  EXPECT_EQ(BFloat16(1.0f).bits, 0x3F80);
  EXPECT_EQ(BFloat16(std::bit_cast<float>(0x3F808000u)).bits, 0x3F80);
  EXPECT_EQ(BFloat16(std::bit_cast<float>(0x3F818000u)).bits, 0x3F82);
  EXPECT_EQ(BFloat16(std::numeric_limits<float>::infinity()).bits, 0x7F80);
  EXPECT_EQ(BFloat16(std::numeric_limits<float>::max()).bits, 0x7F80);
  EXPECT_TRUE(std::isnan(float(BFloat16(std::bit_cast<float>(0x7F800001u)))));
}

class NarrowFloatTest : public testing::TestWithParam<NarrowFloatFormat> {
 protected:
  std::uint32_t code_count() const { return 2u << (GetParam().exponent_bits + GetParam().mantissa_bits); }
};

TEST_P(NarrowFloatTest, EveryCodeReadsBack) {
  for (std::uint32_t code = 0; code < code_count(); ++code) {
    const float value = decode_narrow(code, GetParam());
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(decode_narrow(encode_narrow(value, GetParam(), true), GetParam())));
    } else {
      EXPECT_EQ(encode_narrow(value, GetParam(), false), code);
    }
  }
}

TEST_P(NarrowFloatTest, RoundsToANearestCode) {
  Rng rng(2);
  for (int i = 0; i < 2000; ++i) {
    const double value = std::ldexp(rng.uniform(-1, 1), static_cast<int>(rng.between(-12, 10)));
    const double chosen = decode_narrow(encode_narrow(value, GetParam(), true), GetParam());
    for (std::uint32_t code = 0; code < code_count(); ++code) {
      const double other = decode_narrow(code, GetParam());
      if (!std::isfinite(other)) continue;
      ASSERT_LE(std::fabs(chosen - value), std::fabs(other - value)) << value;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, NarrowFloatTest, testing::Values(kE4M3fn, kE4M3fnuz, kE5M2, kE5M2fnuz, kE2M1));

TEST(NarrowFloatFormatTest, LargestNumbersAndOverflowFollowTheFormats) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(decode_narrow(0x7E, kE4M3fn), 448.0f);
  EXPECT_EQ(decode_narrow(0x7F, kE4M3fnuz), 240.0f);
  EXPECT_EQ(decode_narrow(0x7B, kE5M2), 57344.0f);
  EXPECT_EQ(decode_narrow(0x7F, kE5M2fnuz), 57344.0f);
  EXPECT_EQ(decode_narrow(0x7, kE2M1), 6.0f);
  EXPECT_EQ(encode_narrow(infinity, kE4M3fn, true), 0x7Eu);
  EXPECT_EQ(encode_narrow(-infinity, kE4M3fn, false), 0xFFu);
  EXPECT_EQ(encode_narrow(1e6, kE5M2, false), 0x7Cu);
  EXPECT_EQ(encode_narrow(1e6, kE4M3fnuz, false), 0x80u);
  EXPECT_EQ(encode_narrow(-0.0, kE4M3fnuz, true), 0u);
  EXPECT_EQ(encode_narrow(-100, kE2M1, false), 0xFu);
}

}  // namespace
}  // namespace hone

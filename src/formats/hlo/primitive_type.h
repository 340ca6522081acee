#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "graph/ir/element_type.h"

namespace hone::hlo {

/// What XLA calls the element of an array, and the kinds of value that are not arrays.
// clang-format off
enum class PrimitiveType : std::uint8_t {
  pred, s1, s2, s4, s8, s16, s32, s64, u1, u2, u4, u8, u16, u32, u64,
  f4e2m1fn, f8e3m4, f8e4m3, f8e4m3fn, f8e4m3b11fnuz, f8e4m3fnuz, f8e5m2, f8e5m2fnuz, f8e8m0fnu,
  f16, bf16, f32, f64, c64, c128, token, opaque,
  buffer, tuple,
};
// clang-format on

/// Name as HLO text writes it; a tuple has none, a buffer around a shape is `b`.
std::string_view name_of(PrimitiveType type);
std::optional<PrimitiveType> primitive_type_named(std::string_view name);

/// Bits an element takes in memory; types under 8 bits are packed. 0 for tokens, opaque values and tuples.
int bit_width(PrimitiveType type);

/// The nearest type of hone's own graphs; `undefined` for tokens, opaque values and tuples.
ElementType element_type_of(PrimitiveType type);

}  // namespace hone::hlo

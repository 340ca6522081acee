#include "formats/hlo/primitive_type.h"

#include <iterator>

namespace hone::hlo {
namespace {

struct Entry {
  std::string_view name;
  int bits;
  ElementType element;
};

// clang-format off
constexpr Entry kEntries[] = {
    {"pred", 8, ElementType::boolean},
    {"s1", 1, ElementType::int2},     {"s2", 2, ElementType::int2},     {"s4", 4, ElementType::int4},
    {"s8", 8, ElementType::int8},     {"s16", 16, ElementType::int16},  {"s32", 32, ElementType::int32},
    {"s64", 64, ElementType::int64},
    {"u1", 1, ElementType::uint2},    {"u2", 2, ElementType::uint2},    {"u4", 4, ElementType::uint4},
    {"u8", 8, ElementType::uint8},    {"u16", 16, ElementType::uint16}, {"u32", 32, ElementType::uint32},
    {"u64", 64, ElementType::uint64},
    {"f4e2m1fn", 4, ElementType::float4e2m1},
    {"f8e3m4", 8, ElementType::float8e4m3fn},        {"f8e4m3", 8, ElementType::float8e4m3fn},
    {"f8e4m3fn", 8, ElementType::float8e4m3fn},      {"f8e4m3b11fnuz", 8, ElementType::float8e4m3fnuz},
    {"f8e4m3fnuz", 8, ElementType::float8e4m3fnuz},  {"f8e5m2", 8, ElementType::float8e5m2},
    {"f8e5m2fnuz", 8, ElementType::float8e5m2fnuz},  {"f8e8m0fnu", 8, ElementType::float8e8m0},
    {"f16", 16, ElementType::float16},   {"bf16", 16, ElementType::bfloat16},
    {"f32", 32, ElementType::float32},   {"f64", 64, ElementType::float64},
    {"c64", 64, ElementType::complex64}, {"c128", 128, ElementType::complex128},
    {"token", 0, ElementType::undefined}, {"opaque", 0, ElementType::undefined},
    {"b", 0, ElementType::undefined},     {"", 0, ElementType::undefined},
};
// clang-format on

const Entry& entry(PrimitiveType type) { return kEntries[static_cast<std::size_t>(type)]; }

}  // namespace

std::string_view name_of(PrimitiveType type) { return entry(type).name; }

std::optional<PrimitiveType> primitive_type_named(std::string_view name) {
  for (std::size_t i = 0; i + 1 < std::size(kEntries); ++i)
    if (kEntries[i].name == name) return static_cast<PrimitiveType>(i);
  return std::nullopt;
}

int bit_width(PrimitiveType type) { return entry(type).bits; }
ElementType element_type_of(PrimitiveType type) { return entry(type).element; }

}  // namespace hone::hlo

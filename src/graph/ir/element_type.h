#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace hone {

/// Type of one tensor element; the numbers are those of ONNX's TensorProto.DataType.
enum class ElementType : std::uint8_t {
  undefined = 0,
  float32 = 1,
  uint8 = 2,
  int8 = 3,
  uint16 = 4,
  int16 = 5,
  int32 = 6,
  int64 = 7,
  string = 8,
  boolean = 9,
  float16 = 10,
  float64 = 11,
  uint32 = 12,
  uint64 = 13,
  complex64 = 14,
  complex128 = 15,
  bfloat16 = 16,
  float8e4m3fn = 17,
  float8e4m3fnuz = 18,
  float8e5m2 = 19,
  float8e5m2fnuz = 20,
  uint4 = 21,
  int4 = 22,
  float4e2m1 = 23,
  float8e8m0 = 24,
  uint2 = 25,
  int2 = 26,
};

/// Bits an element takes in memory; 0 for strings and undefined. Types under 8 bits are packed, low bits first.
int bit_width(ElementType type);

/// Name as ONNX's text form writes it: `float`, `int64`, `float8e4m3fn`.
std::string_view name_of(ElementType type);
std::optional<ElementType> element_type_named(std::string_view name);

/// True for a number this version of hone knows.
bool is_known_element_type(std::int64_t onnx_number);

bool is_floating(ElementType type);  // any real floating-point type, 8-bit and 4-bit ones included
bool is_integer(ElementType type);   // signed or unsigned, 4-bit and 2-bit ones included; not bool
bool is_signed_integer(ElementType type);
bool is_complex(ElementType type);

}  // namespace hone

#include "graph/ir/element_type.h"

#include <array>

namespace hone {
namespace {

enum class Class { other, floating, signed_integer, unsigned_integer, complex };

struct Row {
  std::string_view name;
  int bits;
  Class kind;
};

// Indexed by ElementType.
constexpr std::array<Row, 27> kRows{{
    {"undefined", 0, Class::other},
    {"float", 32, Class::floating},
    {"uint8", 8, Class::unsigned_integer},
    {"int8", 8, Class::signed_integer},
    {"uint16", 16, Class::unsigned_integer},
    {"int16", 16, Class::signed_integer},
    {"int32", 32, Class::signed_integer},
    {"int64", 64, Class::signed_integer},
    {"string", 0, Class::other},
    {"bool", 8, Class::other},
    {"float16", 16, Class::floating},
    {"double", 64, Class::floating},
    {"uint32", 32, Class::unsigned_integer},
    {"uint64", 64, Class::unsigned_integer},
    {"complex64", 64, Class::complex},
    {"complex128", 128, Class::complex},
    {"bfloat16", 16, Class::floating},
    {"float8e4m3fn", 8, Class::floating},
    {"float8e4m3fnuz", 8, Class::floating},
    {"float8e5m2", 8, Class::floating},
    {"float8e5m2fnuz", 8, Class::floating},
    {"uint4", 4, Class::unsigned_integer},
    {"int4", 4, Class::signed_integer},
    {"float4e2m1", 4, Class::floating},
    {"float8e8m0", 8, Class::floating},
    {"uint2", 2, Class::unsigned_integer},
    {"int2", 2, Class::signed_integer},
}};

const Row& row(ElementType type) { return kRows[static_cast<std::size_t>(type)]; }

}  // namespace

int bit_width(ElementType type) { return row(type).bits; }
std::string_view name_of(ElementType type) { return row(type).name; }

std::optional<ElementType> element_type_named(std::string_view name) {
  for (std::size_t i = 1; i < kRows.size(); ++i)
    if (kRows[i].name == name) return static_cast<ElementType>(i);
  return std::nullopt;
}

bool is_known_element_type(std::int64_t onnx_number) {
  return onnx_number > 0 && onnx_number < static_cast<std::int64_t>(kRows.size());
}

bool is_floating(ElementType type) { return row(type).kind == Class::floating; }
bool is_signed_integer(ElementType type) { return row(type).kind == Class::signed_integer; }
bool is_integer(ElementType type) { return is_signed_integer(type) || row(type).kind == Class::unsigned_integer; }
bool is_complex(ElementType type) { return row(type).kind == Class::complex; }

}  // namespace hone

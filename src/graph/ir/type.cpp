#include "graph/ir/type.h"

#include <fmt/format.h>

namespace hone {

Dim element_count(const Shape& shape) {
  Dim count = 1;
  for (const Dim d : shape) count = count * d;
  return count;
}

bool is_static(const Shape& shape) {
  for (const Dim d : shape)
    if (!d.known()) return false;
  return true;
}

std::string text_of(const Shape& shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i > 0 ? "," : "") + shape[i].text();
  return text + "]";
}

bool operator==(const Type& a, const Type& b) {
  if (a.kind != b.kind || a.element != b.element || a.ranked != b.ranked || !(a.shape == b.shape)) return false;
  if (!a.inner || !b.inner) return !a.inner && !b.inner;
  return *a.inner == *b.inner;
}

std::optional<std::uint64_t> byte_size(const Type& type) {
  if (!type.is_static_tensor() || bit_width(type.element) == 0) return std::nullopt;
  const Dim count = element_count(type.shape);
  if (!count.known() || count.value() < 0) return std::nullopt;
  const auto bits = static_cast<unsigned __int128>(count.value()) * static_cast<unsigned>(bit_width(type.element));
  return static_cast<std::uint64_t>((bits + 7) / 8);
}

std::string text_of(const Type& type) {
  switch (type.kind) {
    case Type::Kind::unknown: return "?";
    case Type::Kind::opaque: return "opaque";
    case Type::Kind::tensor: return std::string(name_of(type.element)) + (type.ranked ? text_of(type.shape) : "[...]");
    case Type::Kind::sparse_tensor:
      return fmt::format("sparse_tensor({}{})", name_of(type.element), type.ranked ? text_of(type.shape) : "[...]");
    case Type::Kind::sequence: return fmt::format("seq({})", text_of(*type.inner));
    case Type::Kind::optional: return fmt::format("optional({})", text_of(*type.inner));
    case Type::Kind::map: return fmt::format("map({}, {})", name_of(type.element), text_of(*type.inner));
  }
  return "?";
}

}  // namespace hone

#include "formats/onnx/residue.h"

#include <algorithm>

namespace hone::onnx {

Residue::Residue(std::string_view encoded) {
  WireReader reader(as_bytes(encoded));
  while (const auto field = reader.next()) fields_.emplace_back(field->number, field->raw);
  std::stable_sort(fields_.begin(), fields_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
}

void Residue::drop(std::uint32_t field) {
  std::erase_if(fields_, [&](const auto& kept) { return kept.first == field; });
}

void Residue::flush_below(std::uint32_t field, WireWriter& into) {
  for (; next_ < fields_.size() && fields_[next_].first < field; ++next_) into.raw(fields_[next_].second);
}

}  // namespace hone::onnx

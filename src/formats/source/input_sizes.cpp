#include "formats/source/input_sizes.h"

#include <fmt/ranges.h>

#include <charconv>
#include <map>

#include "base/error.h"

namespace hone {
namespace {

std::int64_t parse_size(std::string_view text, const std::string& whole) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0)
    fail_usage("'{}' is not a size in '{}'", text, whole);
  return value;
}

/// A likely size for a dim that can have any.
std::int64_t likely_size(std::size_t axis, std::size_t rank) {
  constexpr std::int64_t kBatch = 1, kLength = 16, kImage = 224;
  if (axis == 0 && rank > 1) return kBatch;
  return rank == 4 && axis > 1 ? kImage : kLength;
}

}  // namespace

std::pair<std::string, Shape> parse_shape(const std::string& text) {
  // Names may hold colons (`input:0`), sizes may not.
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0 || colon + 1 == text.size()) fail_usage("'{}' is not NAME:AxBxC", text);
  const char separator = text.find(',', colon) == std::string::npos ? 'x' : ',';
  Shape shape;
  std::string_view rest = std::string_view(text).substr(colon + 1);
  while (true) {
    const std::size_t end = rest.find(separator);
    shape.push_back(parse_size(rest.substr(0, end), text));
    if (end == std::string_view::npos) return {text.substr(0, colon), shape};
    rest.remove_prefix(end + 1);
  }
}

std::string InputSizes::assume(const Model& model) {
  Model fixed = model;
  apply(fixed);
  std::map<std::string, std::int64_t, std::less<>> sizes;  // of symbols, which inputs may share
  std::vector<std::string> assumed;
  for (const ValueId id : fixed.graph.inputs()) {
    const Value& input = fixed.graph.value(id);
    if (!input.type.is_tensor() || !input.type.ranked || input.type.is_static_tensor() || input.constant) continue;
    std::vector<std::int64_t> shape;
    for (std::size_t axis = 0; axis < input.type.shape.size(); ++axis) {
      const std::int64_t likely = likely_size(axis, input.type.shape.size());
      const Dim dim = input.type.shape[axis].substitute(
          [&](std::string_view name) { return sizes.try_emplace(std::string(name), likely).first->second; });
      shape.push_back(dim.known() && dim.value() >= 0 ? dim.value() : likely);
    }
    assumed.push_back(fmt::format("{}:{}", input.name, fmt::join(shape, "x")));
  }
  shapes_.insert(shapes_.end(), assumed.begin(), assumed.end());
  return fmt::format("{}", fmt::join(assumed, " "));
}

KnownContents InputSizes::apply(Model& model) const {
  FixedDims fixed;
  for (const std::string& text : dims_) {
    const std::size_t equals = text.rfind('=');
    if (equals == std::string::npos || equals == 0) fail_usage("'{}' is not NAME=SIZE", text);
    fixed.symbols[text.substr(0, equals)] = parse_size(std::string_view(text).substr(equals + 1), text);
  }
  for (const std::string& text : shapes_) fixed.inputs.insert(parse_shape(text));
  fix_dims(model, fixed);
  return infer_types(model);
}

}  // namespace hone

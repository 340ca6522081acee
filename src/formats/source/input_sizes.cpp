#include "formats/source/input_sizes.h"

#include <charconv>

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

FixedDims InputSizes::given() const {
  FixedDims fixed;
  for (const std::string& text : dims_) {
    const std::size_t equals = text.rfind('=');
    if (equals == std::string::npos || equals == 0) fail_usage("'{}' is not NAME=SIZE", text);
    fixed.symbols[text.substr(0, equals)] = parse_size(std::string_view(text).substr(equals + 1), text);
  }
  for (const std::string& text : shapes_) fixed.inputs.insert(parse_shape(text));
  fixed.inputs.insert(read_.begin(), read_.end());
  return fixed;
}

std::string InputSizes::assume(const Model& model, const RunLimits& limits) {
  Model fixed = model;
  fix_dims(fixed, given());
  assumed_ = std::make_shared<AssumedSizes>(fixed, limits);
  if (assumed_->empty()) assumed_.reset();
  return assumed();
}

bool InputSizes::assume_others(std::string_view refusal) { return assumed_ && assumed_->take_others(refusal); }

KnownContents InputSizes::apply(Model& model) const {
  FixedDims fixed = given();
  if (assumed_) fixed.inputs.merge(assumed_->fixed().inputs);
  fix_dims(model, fixed);
  try {
    return infer_types(model);
  } catch (const InputError& error) {
    if (!assumed_ || assumed_->fit() || error.code() != ExitCode::bad_model) throw;
    fail("{}; none of the sizes tried fit: give some with --dim or NAME:AxBxC", error.what());
  }
}

}  // namespace hone

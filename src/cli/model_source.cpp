#include "cli/model_source.h"

#include <fmt/ranges.h>

#include <charconv>
#include <map>

#include "base/mapped_file.h"
#include "base/output_file.h"
#include "formats/onnx/read.h"
#include "formats/onnx/write.h"
#include "graph/ir/parse.h"
#include "graph/ir/print.h"
#include "zoo/registry.h"

namespace hone {
namespace {

bool is_text(const std::string& path) { return path.ends_with(".onnxtxt"); }

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

Model load_model(const std::string& spec) {
  if (is_zoo_spec(spec)) return build_zoo(spec);
  if (!is_text(spec)) return onnx::read(spec);
  const auto file = MappedFile::open(spec);
  return parse_model({reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size()}, spec);
}

void save_model(const Model& model, const std::string& path) {
  if (!is_text(path)) return onnx::write(model, path);
  OutputFile file(path);
  file.write(print(model));
  file.commit();
}

std::filesystem::path runtime_file(const std::string& spec, const Model& model,
                                   const std::filesystem::path& otherwise) {
  if (spec.ends_with(".onnx") && !is_zoo_spec(spec)) return spec;
  save_model(model, otherwise);
  return otherwise;
}

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

void DimOptions::add_dims_to(CLI::App& command) {
  command.add_option("--dim", dims_, "Size of a symbolic dimension: batch=8 (repeatable)")->type_name("NAME=SIZE");
}

void DimOptions::add_to(CLI::App& command) {
  add_dims_to(command);
  command.add_option("shapes", shapes_, "Shape of an input: x:1x3x224x224 (repeatable)")->type_name("NAME:AxBxC");
}

std::string DimOptions::assume(const Model& model) {
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

KnownContents DimOptions::apply(Model& model) const {
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

#include "cli/model_source.h"

#include <charconv>

#include "base/mapped_file.h"
#include "base/output_file.h"
#include "ir/parse.h"
#include "ir/print.h"
#include "onnx/read.h"
#include "onnx/write.h"
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

#include "formats/source/model_file.h"

#include <algorithm>

#include "base/error.h"
#include "base/mapped_file.h"
#include "base/output_file.h"
#include "base/wire.h"
#include "formats/foreign/format.h"
#include "formats/hlo/read.h"
#include "formats/onnx/read.h"
#include "formats/onnx/write.h"
#include "formats/source/file_kind.h"
#include "graph/ir/parse.h"
#include "graph/ir/print.h"
#include "zoo/registry.h"

namespace hone {
namespace {

bool is_text(const std::string& path) { return path.ends_with(".onnxtxt"); }

/// ONNX's text form begins with a list of the file's own properties.
bool looks_like_text_form(std::string_view contents) {
  const std::size_t begin = contents.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos || contents[begin] != '<') return false;
  const std::string_view behind = contents.substr(begin + 1);
  const std::size_t word = behind.find_first_not_of(" \t\r\n");
  return word != std::string_view::npos && behind.substr(word).starts_with("ir_version");
}

[[noreturn]] void refuse(const std::string& path, const FileKind& kind) {
  fail("{}: is {}; {}", path, kind.called, kind.next);
}

void refuse_folder(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) refuse(path, kind_of_folder(path));
}

Model read_model_file(const std::string& path) {
  const auto file = MappedFile::open(path);
  const std::string_view contents = as_text(file->bytes());
  if (is_text(path) || looks_like_text_form(contents)) return parse_model(contents, path);
  if (const auto kind = kind_by_contents(contents, path)) refuse(path, *kind);
  try {
    return onnx::read(file->bytes(), file, path, std::filesystem::path(path).parent_path());
  } catch (const InputError&) {
    if (const auto kind = kind_by_fields(contents, path)) refuse(path, *kind);
    throw;
  }
}

/// Whether the model that is replaced is the one whose weights lie in `data`.
bool reads_from(const std::filesystem::path& model, const std::filesystem::path& data) {
  try {
    const std::vector<std::filesystem::path> weights = onnx::files_beside(onnx::read(model), model).weights;
    return std::ranges::any_of(weights, [&](const std::filesystem::path& each) { return same_file(each, data); });
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace

Model load_model(const std::string& spec) {
  if (is_zoo_spec(spec)) return build_zoo(spec);
  refuse_folder(spec);
  return read_model_file(spec);
}

std::optional<hlo::Module> load_module(const std::string& spec) {
  if (is_zoo_spec(spec)) return std::nullopt;
  refuse_folder(spec);
  TextFile file = read_text_file(spec);
  if (detect_format(file.text) != ForeignFormat::hlo) return std::nullopt;
  return hlo::read_loaded(std::move(file), spec);
}

const FileForm& model_form() {
  static const FileForm form{.what = "a model", .extensions = {".onnx", ".onnxtxt"}, .is_binary = true};
  return form;
}

void keep_what_is_read(const OutputTarget& target, const Model& model) {
  const std::filesystem::path& path = target.path();
  if (!target.wanted() || is_written_through(path)) return;
  const onnx::FilesBeside files = onnx::files_beside(model, path);
  std::vector<std::filesystem::path> inputs = files.weights;
  inputs.emplace_back(model.source);
  target.keep(inputs);
  const std::filesystem::path data = onnx::data_file(path);
  const auto is_own = [&] {
    const auto is_data = [&](const std::filesystem::path& each) { return same_file(each, data); };
    return std::ranges::none_of(inputs, is_data) && reads_from(path, data);
  };
  if (files.needs_data && !is_text(path)) target.keep_beside(data, is_own);
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

}  // namespace hone

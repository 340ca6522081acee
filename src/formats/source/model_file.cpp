#include "formats/source/model_file.h"

#include <algorithm>

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
  if (!is_text(spec)) return onnx::read(spec);
  const auto file = MappedFile::open(spec);
  return parse_model({reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size()}, spec);
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

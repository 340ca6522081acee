#include "formats/source/model_file.h"

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

}  // namespace hone

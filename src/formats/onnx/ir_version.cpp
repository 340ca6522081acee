#include "formats/onnx/ir_version.h"

namespace hone::onnx {

void raise_ir_version(Model& model, std::int64_t version) {
  if (model.ir_version.value_or(0) >= version) return;
  if (model.ir_version.value_or(3) < 3 && model.opsets.imports.empty()) model.opsets.imports.emplace_back("", 1);
  model.ir_version = version;
}

}  // namespace hone::onnx

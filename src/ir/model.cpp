#include "ir/model.h"

namespace hone {

std::int64_t Opsets::version(std::string_view domain) const {
  if (domain == "ai.onnx") domain = "";
  for (const auto& [name, version] : imports)
    if (name == domain || (domain.empty() && name == "ai.onnx")) return version;
  return 0;
}

const Function* Model::function(const OpName* op) const {
  for (const Function& function : functions)
    if (function.op == op) return &function;
  return nullptr;
}

}  // namespace hone

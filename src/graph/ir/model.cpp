#include "graph/ir/model.h"

namespace hone {

std::int64_t Opsets::version(std::string_view domain) const {
  if (domain == "ai.onnx") domain = "";
  for (const auto& [name, version] : imports)
    if (name == domain || (domain.empty() && name == "ai.onnx")) return version;
  // Models from before imports existed mean version 1 of everything.
  return imports.empty() ? 1 : 0;
}

const Function* Model::function(const OpName* op) const {
  for (const Function& function : functions)
    if (function.op == op) return &function;
  return nullptr;
}

}  // namespace hone

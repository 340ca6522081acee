#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/ir/graph.h"

namespace hone {

/// Which version of each operator domain a model was written for. "" is ONNX's own.
struct Opsets {
  std::vector<std::pair<std::string, std::int64_t>> imports;

  std::vector<std::string> encoded;  // each import as the file wrote it; only onnx/ looks inside

  /// Version for a domain; 0 when the model does not import it.
  std::int64_t version(std::string_view domain) const;
  friend bool operator==(const Opsets& a, const Opsets& b) { return a.imports == b.imports; }
};

/// A model-local function: an operator defined by a graph. The body's inputs and outputs are the function's.
struct Function {
  const OpName* op = nullptr;
  Graph body;
  std::vector<std::string> attributes;  // names of the ones without a default
  Attributes defaults;
  Opsets opsets;
  SharedNotes notes;
};

/// A whole ONNX model.
struct Model {
  Graph graph;
  std::vector<Function> functions;
  Opsets opsets;
  std::optional<std::int64_t> ir_version;
  std::optional<std::int64_t> model_version;
  std::optional<std::string> producer_name;
  std::optional<std::string> producer_version;
  std::optional<std::string> domain;
  SharedNotes notes;
  std::string source;  // where it came from, for messages: a path or `zoo:squeezenet`

  /// Null when the operator is not a function of this model.
  const Function* function(const OpName* op) const;
};

}  // namespace hone

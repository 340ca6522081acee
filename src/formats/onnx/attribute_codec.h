#pragma once

#include <functional>

#include "base/wire.h"
#include "formats/onnx/fields.h"
#include "graph/ir/attribute.h"

namespace hone::onnx {

/// How the parts of an attribute that are messages of their own are read and written; graphs need their surroundings.
struct AttributeParts {
  std::function<Tensor(Bytes)> read_tensor;
  std::function<SharedGraph(Bytes)> read_graph;
};
struct AttributeWriters {
  std::function<WireWriter(const Tensor&)> write_tensor;
  std::function<WireWriter(const Graph&)> write_graph;
};

/// An AttributeProto. Bodies are read in the order they stand in the message.
Attribute read_attribute(Bytes message, const AttributeParts& parts);
WireWriter write_attribute(const Attribute& attribute, const AttributeWriters& writers);

}  // namespace hone::onnx

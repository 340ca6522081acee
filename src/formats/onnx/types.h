#pragma once

#include "formats/onnx/wire.h"
#include "graph/ir/type.h"

namespace hone::onnx {

/// A TypeProto. Element types and kinds hone does not know become Type::Kind::opaque.
Type read_type(Bytes message);
Encoded write_type(const Type& type);

/// A ValueInfoProto without its notes.
struct ValueInfo {
  std::string name;
  Type type;
};
ValueInfo read_value_info(Bytes message);
Encoded write_value_info(std::string_view name, const Type& type);

}  // namespace hone::onnx

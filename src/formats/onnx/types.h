#pragma once

#include "base/wire.h"
#include "graph/ir/type.h"

namespace hone::onnx {

/// A TypeProto. Element types and kinds hone does not know become Type::Kind::opaque.
Type read_type(Bytes message);
WireWriter write_type(const Type& type);

/// A ValueInfoProto without its notes.
struct ValueInfo {
  std::string name;
  Type type;
};
ValueInfo read_value_info(Bytes message);
WireWriter write_value_info(std::string_view name, const Type& type);

}  // namespace hone::onnx

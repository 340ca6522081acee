#pragma once

#include <cstdint>

/// Field numbers of onnx.proto, as published. One enum a message; only those hone gives a meaning to, the rest
/// travels as residue.
namespace hone::onnx {

namespace model_field {
enum : std::uint32_t {
  ir_version = 1,
  producer_name,
  producer_version,
  domain,
  model_version,
  doc_string,
  graph,
  opset_import,
  metadata_props = 14,
  functions = 25,
  configuration
};
}
namespace opset_field {
enum : std::uint32_t { domain = 1, version };
}
namespace graph_field {
enum : std::uint32_t {
  node = 1,
  name,
  initializer = 5,
  doc_string = 10,
  input,
  output,
  value_info,
  sparse_initializer = 15,
  metadata_props
};
}
namespace node_field {
enum : std::uint32_t {
  input = 1,
  output,
  name,
  op_type,
  attribute,
  doc_string,
  domain,
  overload,
  metadata_props,
  device_configurations
};
}
namespace configuration_field {
enum : std::uint32_t { name = 1, num_devices, device };
}
namespace node_configuration_field {
enum : std::uint32_t { configuration_id = 1, sharding_spec, pipeline_stage };
}
namespace sharding_field {
enum : std::uint32_t { tensor_name = 1, device };
}
namespace attribute_field {
enum : std::uint32_t {
  name = 1,
  f,
  i,
  s,
  t,
  g,
  floats,
  ints,
  strings,
  tensors,
  graphs,
  doc_string = 13,
  tp,
  type_protos,
  type = 20,
  ref_attr_name,
  sparse_tensor,
  sparse_tensors
};
}
namespace tensor_field {
enum : std::uint32_t {
  dims = 1,
  data_type,
  segment,
  float_data,
  int32_data,
  string_data,
  int64_data,
  name,
  raw_data,
  double_data,
  uint64_data,
  doc_string,
  external_data,
  data_location,
  metadata_props = 16
};
}
namespace sparse_field {
enum : std::uint32_t { values = 1, indices, dims };
}
namespace function_field {
enum : std::uint32_t {
  name = 1,
  input = 4,
  output,
  attribute,
  node,
  doc_string,
  opset_import,
  domain,
  attribute_proto,
  value_info,
  overload,
  metadata_props
};
}
namespace value_info_field {
enum : std::uint32_t { name = 1, type, doc_string, metadata_props };
}
namespace type_field {
enum : std::uint32_t { tensor = 1, sequence = 4, map, denotation, opaque, sparse_tensor, optional };
}
namespace dim_field {
enum : std::uint32_t { value = 1, param };
}
namespace entry_field {
enum : std::uint32_t { key = 1, value };
}

/// AttributeProto.AttributeType.
enum class AttributeType : std::int64_t {
  undefined = 0,
  real,
  integer,
  text,
  tensor,
  graph,
  reals,
  integers,
  texts,
  tensors,
  graphs,
  sparse_tensor,
  sparse_tensors,
  type,
  types
};

}  // namespace hone::onnx

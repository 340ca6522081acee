#pragma once

#include <memory>

#include "base/wire.h"
#include "formats/onnx/external_data.h"
#include "graph/ir/tensor.h"

namespace hone::onnx {

/// Decodes a TensorProto. Raw, float and double data stay where they are, kept alive by `owner`; only varint-coded data
/// is unpacked. Throws InputError naming the tensor.
Tensor read_tensor(Bytes message, const std::shared_ptr<const void>& owner, ExternalFiles& external);

/// Where a tensor's bytes go when they do not go into the model file itself.
struct ExternalPlace {
  std::string location;  // file name beside the model
  std::uint64_t offset = 0;
};

/// Encodes a tensor as it was read: raw, typed or external. `place` overrides an external tensor's file.
/// The result refers to the tensor's bytes.
WireWriter write_tensor(const Tensor& tensor, std::string_view name, const std::optional<ExternalPlace>& place);

}  // namespace hone::onnx

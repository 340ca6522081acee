#pragma once

#include <memory>

#include "graph/ops/datum.h"
#include "run/onnxruntime/library.h"

namespace hone::ort {

/// A value that refers to the tensor's bytes, which must outlive it; strings are copied. Throws InputError for element
/// types ONNX Runtime lacks.
Owned<CValue> to_value(const std::shared_ptr<const Library>& library, const Tensor& tensor);

/// A tensor that refers to the value's bytes and keeps it alive; an empty datum for an empty optional. Throws
/// InputError for what is no tensor.
Datum to_datum(const std::shared_ptr<const Library>& library, const std::shared_ptr<CValue>& value);

}  // namespace hone::ort

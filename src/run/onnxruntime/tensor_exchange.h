#pragma once

#include <memory>

#include "graph/ops/datum.h"
#include "run/onnxruntime/library.h"

namespace hone::ort {

/// A value that refers to the bytes of the datum's tensors, which must be aligned and outlive it; strings are copied.
/// Throws InputError for element types and data that ONNX Runtime cannot be given.
Owned<CValue> to_value(const std::shared_ptr<const Library>& library, const Datum& datum);

/// The same data with all tensors aligned.
Datum aligned(const Datum& datum);

/// A datum whose tensors refer to the value's bytes and keep it alive; an empty one for an empty optional, and for a
/// map a sequence of its keys and its values. Throws InputError for what is none of these.
Datum to_datum(const std::shared_ptr<const Library>& library, const std::shared_ptr<CValue>& value);

}  // namespace hone::ort

#pragma once

#include <cstdint>
#include <span>

#include "graph/ops/op.h"

namespace hone {

// A few bytes of a file may ask for any amount of memory; nobody means to create more elements than this.
inline constexpr std::int64_t kMaxCreated = std::int64_t{1} << 30;

/// Dims for a tensor that is made from a few numbers; fails when one is negative or all together are absurd.
Dims checked_dims(const NodeReader& node, std::span<const std::int64_t> dims);

/// The element type attribute `dtype` asks for, else that of the input.
ElementType element_or_input(const NodeReader& node, ElementType input);

/// Bytes of operators that read nothing of their input but its type.
double bytes_of_output(const CostContext& context);

}  // namespace hone

#pragma once

#include "learn/train/torch.h"

namespace hone::learn {

/// A tensor of a shape whose contents are anything. Large ones on the CPU live in memory that earlier ones have left:
/// new pages, which the system has to clear, take longer than most of what is done to their contents.
torch::Tensor recycled(at::IntArrayRef shape, const torch::TensorOptions& options);

}  // namespace hone::learn

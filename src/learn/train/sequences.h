#pragma once

#include <span>
#include <vector>

#include "learn/train/torch.h"

namespace hone::learn {

/// Rows of a batch as sequences of one length, side by side: what is too short is filled up at the end.
struct Sequences {
  torch::Tensor rows;    // length by sequence: which row
  torch::Tensor places;  // by row: where it is among all of these

  Sequences to(const torch::Device& device) const { return {rows.to(device), places.to(device)}; }
};

enum class Direction : std::uint8_t { forward, backward };

/// `sequences` name every row once.
Sequences make_sequences(std::span<const std::vector<std::int64_t>> sequences, Direction direction);

/// By row: the state of a recurrence after it has read it, in the order of its sequence. `arrays` are those of a
/// `Recurrence`, in the order of their names there, which computes the same.
torch::Tensor recurrent_states(const torch::Tensor& rows, const Sequences& sequences,
                               std::span<const torch::Tensor> arrays);

}  // namespace hone::learn

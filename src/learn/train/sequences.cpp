#include "learn/train/sequences.h"

#include <algorithm>

namespace hone::learn {
namespace {

/// The same arrays behind each other in memory, as the kernels for CUDA want them.
std::vector<torch::Tensor> side_by_side(std::span<const torch::Tensor> arrays) {
  std::vector<torch::Tensor> parts;
  for (const torch::Tensor& array : arrays) parts.push_back(array.flatten());
  const torch::Tensor all = torch::cat(parts);
  std::int64_t first = 0;
  for (std::size_t i = 0; i < arrays.size(); first += arrays[i++].numel())
    parts[i] = all.narrow(0, first, arrays[i].numel()).view(arrays[i].sizes());
  return parts;
}

}  // namespace

Sequences make_sequences(std::span<const std::vector<std::int64_t>> sequences, Direction direction) {
  std::size_t length = 0, count = 0;
  for (const std::vector<std::int64_t>& sequence : sequences) {
    length = std::max(length, sequence.size());
    count += sequence.size();
  }
  // What sequences are filled up with is never looked at.
  std::vector<std::int64_t> rows(length * sequences.size()), places(count);
  for (std::size_t i = 0; i < sequences.size(); ++i)
    for (std::size_t step = 0; step < sequences[i].size(); ++step) {
      const std::size_t from = direction == Direction::forward ? step : sequences[i].size() - 1 - step;
      const std::int64_t row = sequences[i][from];
      rows[step * sequences.size() + i] = row;
      places[static_cast<std::size_t>(row)] = static_cast<std::int64_t>(step * sequences.size() + i);
    }
  return {torch::tensor(at::ArrayRef<std::int64_t>(rows))
              .view({static_cast<std::int64_t>(length), static_cast<std::int64_t>(sequences.size())}),
          torch::tensor(at::ArrayRef<std::int64_t>(places))};
}

torch::Tensor recurrent_states(const torch::Tensor& rows, const Sequences& sequences,
                               std::span<const torch::Tensor> arrays) {
  const std::int64_t width = rows.size(1), length = sequences.rows.size(0), count = sequences.rows.size(1);
  const torch::Tensor read = rows.index_select(0, sequences.rows.flatten()).view({length, count, width});
  const torch::Tensor start = torch::zeros({1, count, width}, rows.options());
  const std::vector<torch::Tensor> packed = side_by_side(arrays);
  constexpr bool kHasBiases = true, kIsTraining = true, kBothWays = false, kBatchFirst = false;
  const torch::Tensor states = std::get<0>(torch::gru(read, start, packed, kHasBiases, /*num_layers=*/1,
                                                      /*dropout=*/0.0, kIsTraining, kBothWays, kBatchFirst));
  return states.reshape({length * count, width}).index_select(0, sequences.places);
}

}  // namespace hone::learn

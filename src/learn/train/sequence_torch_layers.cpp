// Layers that read the nodes of each graph as a sequence.

#include <cmath>

#include "learn/network/recurrence.h"
#include "learn/train/torch_layer.h"

namespace hone::learn {
namespace {

torch::Tensor reading_forward(const LayerSpec& spec, const LayerTensors& tensors, const torch::Tensor& rows,
                              const Batch& batch) {
  const auto states = [&](Direction direction, const std::string& name) {
    std::vector<torch::Tensor> arrays;
    for (const char* array : kRecurrenceArrays) arrays.push_back(tensors.at(name + array));
    return recurrent_states(rows, make_sequences(batch.sequences, direction).to(rows.device()), arrays);
  };
  return activated(states(Direction::forward, "forward.") + states(Direction::backward, "backward."), spec.activation);
}

/// The rows of one sequence, segment by segment; nothing is learned by way of what is kept of the one before.
torch::Tensor attend_by_segment(const LayerTensors& tensors, const torch::Tensor& rows, std::int64_t segment) {
  const torch::Tensor queries = tensors.map("query.", rows), keys = tensors.map("key.", rows),
                      values = tensors.map("value.", rows);
  const double scale = 1 / std::sqrt(static_cast<double>(rows.size(1)));
  std::vector<torch::Tensor> parts;
  for (std::int64_t begin = 0; begin < rows.size(0); begin += segment) {
    const std::int64_t end = std::min(begin + segment, rows.size(0)), from = std::max<std::int64_t>(0, begin - segment);
    const auto seen = [&](const torch::Tensor& all) {
      return torch::cat({all.slice(0, from, begin).detach(), all.slice(0, begin, end)});
    };
    const torch::Tensor scores = queries.slice(0, begin, end).matmul(seen(keys).t()) * scale;
    parts.push_back(torch::softmax(scores, 1).matmul(seen(values)));
  }
  return torch::cat(parts);
}

torch::Tensor segment_attention_forward(const LayerSpec& spec, const LayerTensors& tensors, const torch::Tensor& rows,
                                        const Batch& batch) {
  torch::Tensor out = torch::zeros_like(rows);
  for (const std::vector<std::int64_t>& sequence : batch.sequences) {
    if (sequence.empty()) continue;
    const torch::Tensor order = torch::tensor(at::ArrayRef<std::int64_t>(sequence)).to(rows.device());
    const torch::Tensor read = rows.index_select(0, order);
    out = out.index_add(0, order, attend_by_segment(tensors, read, static_cast<std::int64_t>(spec.segment)));
  }
  return activated(out, spec.activation);
}

const TorchLayer reading(reading_layer, reading_forward);
const TorchLayer segment_attention(segment_attention_layer, segment_attention_forward);

}  // namespace
}  // namespace hone::learn

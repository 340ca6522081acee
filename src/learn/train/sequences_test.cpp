// The recurrence of libtorch against the plain one, and its gradient against differences.

#include "learn/train/sequences.h"

#include <gtest/gtest.h>

#include "learn/network/layers.h"
#include "learn/network/recurrence.h"
#include "learn/train/batch.h"

namespace hone::learn {
namespace {

constexpr std::int64_t kWidth = 4;

/// Three graphs of eleven rows in all, the second one out of order.
const std::vector<std::vector<std::int64_t>> kSequences = {{0, 1, 2}, {7, 3, 5, 6, 4, 8}, {9, 10}};

using Tensors = std::vector<torch::Tensor>;

Tensors drawn_arrays() {
  torch::manual_seed(3);
  Tensors arrays;
  arrays.push_back(torch::randn({3 * kWidth, kWidth}).requires_grad_());
  arrays.push_back(torch::randn({3 * kWidth, kWidth}).requires_grad_());
  arrays.push_back(torch::randn({3 * kWidth}).requires_grad_());
  arrays.push_back(torch::randn({3 * kWidth}).requires_grad_());
  return arrays;
}

TEST(Sequences, AreReadAsThePlainRecurrenceReadsThemOneByOneFromBothEnds) {
  const Tensors arrays = drawn_arrays();
  Safetensors contents;
  for (std::size_t i = 0; i < arrays.size(); ++i)
    for (const std::string end : {"forward.", "backward."})
      contents.arrays["read." + end + kRecurrenceArrays[i]] = to_array(arrays[i]);
  const LayerSpec spec{.name = "read", .kind = &reading_layer, .inputs = kWidth, .outputs = kWidth};
  const Recurrence plain(LayerArrays(contents, "", spec, "test"), "forward.", kWidth);
  const torch::Tensor rows = torch::randn({11, kWidth});
  const std::vector<float> values = to_array(rows).values;
  for (const Direction direction : {Direction::forward, Direction::backward}) {
    const std::vector<float> all =
        to_array(recurrent_states(rows, make_sequences(kSequences, direction), arrays)).values;
    for (const std::vector<std::int64_t>& sequence : kSequences) {
      std::vector<std::uint32_t> alone;
      const std::int64_t first = *std::ranges::min_element(sequence);
      for (const std::int64_t row : sequence) alone.push_back(static_cast<std::uint32_t>(row - first));
      if (direction == Direction::backward) std::ranges::reverse(alone);
      const auto begin = static_cast<std::size_t>(first * kWidth), count = sequence.size() * kWidth;
      const std::vector<float> states = plain.states(std::span(values).subspan(begin, count), alone);
      for (std::size_t i = 0; i < count; ++i) EXPECT_NEAR(states[i], all[begin + i], 1e-5);
    }
  }
}

TEST(Sequences, GradientIsThatOfDifferences) {
  Tensors arrays = drawn_arrays();
  torch::Tensor rows = torch::randn({11, kWidth}).requires_grad_();
  const torch::Tensor worth = torch::randn({11, kWidth});
  const Sequences sequences = make_sequences(kSequences, Direction::backward);
  const auto total = [&] { return (recurrent_states(rows, sequences, arrays) * worth).sum(); };
  total().backward();
  Tensors checked = arrays;
  checked.push_back(rows);
  for (torch::Tensor& tensor : checked) {
    const torch::Tensor gradient = tensor.grad().flatten();
    const torch::NoGradGuard no_gradient;
    float* values = tensor.data_ptr<float>();
    for (std::int64_t i = 0; i < tensor.numel(); i += 5) {
      constexpr float kStep = 1e-2F;
      const float kept = values[i];
      values[i] = kept + kStep;
      const double up = total().item<double>();
      values[i] = kept - kStep;
      const double down = total().item<double>();
      values[i] = kept;
      const double slope = (up - down) / (2.0 * static_cast<double>(kStep));
      EXPECT_NEAR(gradient[i].item<double>(), slope, 0.02 * std::abs(slope) + 2e-3);
    }
  }
}

}  // namespace
}  // namespace hone::learn

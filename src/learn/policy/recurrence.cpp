#include "learn/policy/recurrence.h"

#include <cmath>

namespace hone {
namespace {

float sigmoid(float value) { return 1 / (1 + std::exp(-value)); }

}  // namespace

Recurrence::Recurrence(const Safetensors& contents, const std::string& prefix, std::size_t width,
                       std::string_view source)
    : width_(width),
      input_(array_of(contents, prefix + "input", {3 * width, width}, source)),
      state_(array_of(contents, prefix + "state", {3 * width, width}, source)),
      input_bias_(array_of(contents, prefix + "input_bias", {3 * width}, source)),
      state_bias_(array_of(contents, prefix + "state_bias", {3 * width}, source)) {}

std::vector<float> Recurrence::states(std::span<const float> rows, std::span<const std::uint32_t> sequence) const {
  std::vector<float> given = repeated(input_bias_, sequence.size());
  input_.add_rows(rows, given);
  std::vector<float> states(rows.size()), state(width_), own(3 * width_);
  for (const std::uint32_t row : sequence) {
    own = state_bias_.values;
    state_.add(state.data(), own.data());
    const float* input = given.data() + row * 3 * width_;
    for (std::size_t i = 0; i < width_; ++i) {
      const float reset = sigmoid(input[i] + own[i]), update = sigmoid(input[width_ + i] + own[width_ + i]);
      const float made = std::tanh(input[2 * width_ + i] + reset * own[2 * width_ + i]);
      state[i] = (1 - update) * made + update * state[i];
      states[row * width_ + i] = state[i];
    }
  }
  return states;
}

}  // namespace hone

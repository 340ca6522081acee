#include "learn/network/recurrence.h"

#include <cmath>

#include "learn/network/layers.h"

namespace hone {
namespace {

class Reading final : public Layer {
 public:
  Reading(const LayerSpec& spec, const LayerArrays& arrays)
      : forward_(arrays, "forward.", spec.inputs), backward_(arrays, "backward.", spec.inputs) {}

  std::vector<float> run(const std::vector<float>& rows, const GraphInput& graph) const override {
    const std::vector<std::uint32_t> reversed(graph.sequence.rbegin(), graph.sequence.rend());
    std::vector<float> states = forward_.states(rows, graph.sequence);
    const std::vector<float> future = backward_.states(rows, reversed);
    for (std::size_t i = 0; i < states.size(); ++i) states[i] += future[i];
    return states;
  }

 private:
  Recurrence forward_, backward_;
};

std::vector<ArraySpec> reading_arrays(const LayerSpec& spec) {
  const std::size_t width = spec.inputs;
  std::vector<ArraySpec> arrays;
  for (const std::string direction : {"forward.", "backward."}) {
    for (const char* name : {"input", "state"}) arrays.push_back(matrix(direction + name, 3 * width, width, spec));
    for (const char* name : {"input_bias", "state_bias"}) arrays.push_back(zeros(direction + name, 3 * width));
  }
  return arrays;
}

}  // namespace

Recurrence::Recurrence(const LayerArrays& arrays, const std::string& prefix, std::size_t width)
    : width_(width),
      input_(arrays.at(prefix + "input")),
      state_(arrays.at(prefix + "state")),
      input_bias_(arrays.at(prefix + "input_bias")),
      state_bias_(arrays.at(prefix + "state_bias")) {}

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

const LayerKind reading_layer("reading", reading_arrays, make_layer<Reading>);

}  // namespace hone

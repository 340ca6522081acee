#include <algorithm>
#include <cmath>
#include <limits>

#include "run/native/direct_step.h"

// RNN, GRU and LSTM by plain code: a cell goes along a sequence, so that its steps follow one another by nature.

namespace hone::native {
namespace {

using GateFunction = float (*)(float);

GateFunction gate_function(std::string_view name) {
  if (name == "Tanh") return [](float x) { return std::tanh(x); };
  if (name == "Sigmoid") return [](float x) { return 1 / (1 + std::exp(-x)); };
  if (name == "Relu") return [](float x) { return x > 0 ? x : 0; };
  return nullptr;
}

/// What a layer is like; its weights are [directions, gates * hidden, input or hidden].
struct RecurrentLayer {
  std::int64_t length = 0, batch = 0, input = 0, hidden = 0, directions = 1, gates = 1;
  bool batch_first = false, backwards = false, resets_after_product = false, couples_forget = false;
  float clip = std::numeric_limits<float>::infinity();
  std::vector<GateFunction> functions;  // by direction, by kind of gate

  std::int64_t rows() const { return gates * hidden; }
  std::int64_t scratch_floats() const { return rows() + 3 * hidden; }
};

/// Arrays of a run, null where the node omits them: x, w, r, bias, lengths, hidden, cell, peepholes, then the outputs.
struct RecurrentArrays {
  const float *x, *w, *r, *bias;
  const std::int32_t* lengths;
  const float *hidden, *cell, *peepholes;
  float *y, *last_hidden, *last_cell;
};

/// One sample in one direction.
class RecurrentSample {
 public:
  RecurrentSample(const RecurrentLayer& layer, const RecurrentArrays& arrays, std::int64_t direction, float* scratch)
      : layer_(layer),
        arrays_(arrays),
        direction_(direction),
        sums_(scratch),
        state_(scratch + layer.rows()),
        cell_(state_ + layer.hidden),
        spare_(cell_ + layer.hidden),
        w_(arrays.w + direction * layer.rows() * layer.input),
        r_(arrays.r + direction * layer.rows() * layer.hidden),
        functions_(layer.functions.data() + direction * functions_of_direction()) {}

  void run(std::int64_t sample) {
    const std::int64_t place =
        layer_.batch_first ? sample * layer_.directions + direction_ : direction_ * layer_.batch + sample;
    start(state_, arrays_.hidden, place);
    start(cell_, arrays_.cell, place);
    const std::int64_t length = arrays_.lengths != nullptr ? arrays_.lengths[sample] : layer_.length;
    if (length < 0 || length > layer_.length) fail("a sequence length is {}", length);
    for (std::int64_t time = length; time < layer_.length; ++time) write(time, sample, nullptr);
    const bool backwards = layer_.backwards || direction_ == 1;
    for (std::int64_t step = 0; step < length; ++step) {
      const std::int64_t time = backwards ? length - 1 - step : step;
      const std::int64_t row = layer_.batch_first ? sample * layer_.length + time : time * layer_.batch + sample;
      advance(arrays_.x + row * layer_.input);
      write(time, sample, state_);
    }
    finish(arrays_.last_hidden, place, state_);
    finish(arrays_.last_cell, place, cell_);
  }

 private:
  std::int64_t functions_of_direction() const { return layer_.gates == 4 ? 3 : layer_.gates == 3 ? 2 : 1; }

  void start(float* to, const float* from, std::int64_t place) const {
    if (from == nullptr) std::fill_n(to, layer_.hidden, 0.0F);
    else std::copy_n(from + place * layer_.hidden, layer_.hidden, to);
  }
  void finish(float* to, std::int64_t place, const float* from) const {
    if (to != nullptr) std::copy_n(from, layer_.hidden, to + place * layer_.hidden);
  }
  void write(std::int64_t time, std::int64_t sample, const float* state) const {
    if (arrays_.y == nullptr) return;
    const std::int64_t place = layer_.batch_first ? (sample * layer_.length + time) * layer_.directions + direction_
                                                  : (time * layer_.directions + direction_) * layer_.batch + sample;
    if (state == nullptr) std::fill_n(arrays_.y + place * layer_.hidden, layer_.hidden, 0.0F);
    else finish(arrays_.y, place, state);
  }

  static float product(const float* a, const float* b, std::int64_t count) {
    float sums[8] = {}, sum = 0;
    std::int64_t i = 0;
    for (; i + 8 <= count; i += 8)
      for (std::int64_t k = 0; k < 8; ++k) sums[k] += a[i + k] * b[i + k];
    for (const float part : sums) sum += part;
    for (; i < count; ++i) sum += a[i] * b[i];
    return sum;
  }
  float bias(std::int64_t row) const {
    return arrays_.bias != nullptr ? arrays_.bias[direction_ * 2 * layer_.rows() + row] : 0;
  }
  float state_bias(std::int64_t row) const { return bias(layer_.rows() + row); }
  float peephole(std::int64_t gate, std::int64_t i) const {
    return arrays_.peepholes != nullptr ? arrays_.peepholes[(direction_ * 3 + gate) * layer_.hidden + i] * cell_[i] : 0;
  }
  float through(std::int64_t function, float x) const {
    return functions_[function](std::clamp(x, -layer_.clip, layer_.clip));
  }

  void advance(const float* x) {
    const std::int64_t whole = layer_.gates == 3 ? 2 * layer_.hidden : layer_.rows();
    for (std::int64_t row = 0; row < layer_.rows(); ++row) {
      sums_[row] = product(w_ + row * layer_.input, x, layer_.input) + bias(row);
      if (row < whole) sums_[row] += product(r_ + row * layer_.hidden, state_, layer_.hidden) + state_bias(row);
    }
    if (layer_.gates == 1) advance_plain();
    else if (layer_.gates == 3) advance_gated();
    else advance_remembering();
  }

  void advance_plain() {
    for (std::int64_t i = 0; i < layer_.hidden; ++i) state_[i] = through(0, sums_[i]);
  }

  /// Update, reset and hidden gate.
  void advance_gated() {
    const std::int64_t hidden = layer_.hidden;
    for (std::int64_t i = 0; i < 2 * hidden; ++i) sums_[i] = through(0, sums_[i]);
    const float* const reset = sums_ + hidden;
    for (std::int64_t i = 0; i < hidden; ++i) cell_[i] = layer_.resets_after_product ? state_[i] : reset[i] * state_[i];
    for (std::int64_t i = 0; i < hidden; ++i) {
      const std::int64_t row = 2 * hidden + i;
      const float kept = product(r_ + row * hidden, cell_, hidden) + state_bias(row);
      spare_[i] = through(1, sums_[row] + (layer_.resets_after_product ? reset[i] * kept : kept));
    }
    for (std::int64_t i = 0; i < hidden; ++i) state_[i] = (1 - sums_[i]) * spare_[i] + sums_[i] * state_[i];
  }

  /// Input, output, forget and cell gate.
  void advance_remembering() {
    const std::int64_t hidden = layer_.hidden;
    for (std::int64_t i = 0; i < hidden; ++i) {
      const float in = through(0, sums_[i] + peephole(0, i));
      const float forget = layer_.couples_forget ? 1 - in : through(0, sums_[2 * hidden + i] + peephole(2, i));
      cell_[i] = forget * cell_[i] + in * through(1, sums_[3 * hidden + i]);
      state_[i] = through(0, sums_[hidden + i] + peephole(1, i)) * functions_[2](cell_[i]);
    }
  }

  const RecurrentLayer& layer_;
  const RecurrentArrays& arrays_;
  std::int64_t direction_;
  float *sums_, *state_, *cell_, *spare_;
  const float *w_, *r_;
  const GateFunction* functions_;
};

/// Nothing for activations other than the usual ones.
std::optional<RecurrentLayer> layer_of(const DirectNode& node) {
  for (std::size_t i = 0; i < node.input_count(); ++i)
    if (node.has_input(i) && i != 4 && node.element(i) != ElementType::float32) return std::nullopt;
  if (node.has_input(4) && node.element(4) != ElementType::int32) return std::nullopt;
  const std::string_view op = node.entry().name;
  RecurrentLayer layer{.gates = op == "LSTM" ? 4 : op == "GRU" ? 3 : 1};
  layer.batch_first = node.version() >= 14 && node.integer("layout") != 0;
  const Dims x = node.dims(0);
  layer.length = x[layer.batch_first ? 1 : 0];
  layer.batch = x[layer.batch_first ? 0 : 1];
  layer.input = x[2];
  layer.hidden = node.dims(2)[2];
  layer.directions = node.dims(2)[0];
  layer.backwards = node.text("direction") == "reverse";
  layer.resets_after_product = layer.gates == 3 && node.version() >= 3 && node.integer("linear_before_reset") != 0;
  layer.couples_forget = layer.gates == 4 && node.integer("input_forget") != 0;
  if (node.has_attribute("clip")) layer.clip = node.number("clip");
  if (node.has_attribute("activation_alpha") || node.has_attribute("activation_beta")) return std::nullopt;
  std::vector<std::string> names = node.texts("activations");
  const std::vector<std::string> usual = layer.gates == 4   ? std::vector<std::string>{"Sigmoid", "Tanh", "Tanh"}
                                         : layer.gates == 3 ? std::vector<std::string>{"Sigmoid", "Tanh"}
                                                            : std::vector<std::string>{"Tanh"};
  if (names.empty())
    for (std::int64_t i = 0; i < layer.directions; ++i) names.insert(names.end(), usual.begin(), usual.end());
  if (names.size() != usual.size() * static_cast<std::size_t>(layer.directions)) return std::nullopt;
  for (const std::string& name : names) {
    layer.functions.push_back(gate_function(name));
    if (layer.functions.back() == nullptr) return std::nullopt;
  }
  return layer;
}

bool lower_recurrence(Lowering& lowering, NodeId id) {
  DirectNode node(lowering, id);
  const auto layer = layer_of(node);
  if (!layer || node.output_count() == 0) return false;
  const std::size_t inputs = node.first_output(), outputs = node.output_count();
  const bool remembers = layer->gates == 4;
  node.lower(
      [layer = *layer, inputs, outputs, remembers](std::span<void* const> given, std::byte* scratch) {
        const auto input = [&](std::size_t i) { return i < inputs ? static_cast<const float*>(given[i]) : nullptr; };
        const auto output = [&](std::size_t i) {
          return i < outputs ? static_cast<float*>(given[inputs + i]) : nullptr;
        };
        const RecurrentArrays arrays{.x = input(0),
                                     .w = input(1),
                                     .r = input(2),
                                     .bias = input(3),
                                     .lengths = inputs > 4 ? static_cast<const std::int32_t*>(given[4]) : nullptr,
                                     .hidden = input(5),
                                     .cell = remembers ? input(6) : nullptr,
                                     .peepholes = remembers ? input(7) : nullptr,
                                     .y = output(0),
                                     .last_hidden = output(1),
                                     .last_cell = remembers ? output(2) : nullptr};
        for (std::int64_t direction = 0; direction < layer.directions; ++direction)
          for (std::int64_t sample = 0; sample < layer.batch; ++sample)
            RecurrentSample(layer, arrays, direction, reinterpret_cast<float*>(scratch)).run(sample);
      },
      static_cast<std::size_t>(layer->scratch_floats()) * sizeof(float));
  return true;
}

const LoweringTable recurrences({{"RNN", lower_recurrence}, {"GRU", lower_recurrence}, {"LSTM", lower_recurrence}});

}  // namespace
}  // namespace hone::native

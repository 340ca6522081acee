#include "base/random.h"
#include "zoo/builder.h"
#include "zoo/registry.h"

// Recurrent networks, unrolled in time, whose cells and links between layers are drawn by a seed. They are to learn
// from: policies for recurrent networks should not have seen those that they are judged by.

namespace hone::zoo {
namespace {

using DrawnSteps = std::vector<ValueId>;  // [batch, width] for each time step

struct DrawnState {
  ValueId hidden, memory;
};

/// A cell: gates of input and hidden state, put together two by two in an order that is drawn once for all steps.
class DrawnCell {
 public:
  DrawnCell(Builder& b, std::int64_t inputs, std::int64_t width, Rng& rng)
      : gates_(3 + static_cast<std::int64_t>(rng.below(4))), shape_(rng.next()) {
    const auto place = b.scope("cell");
    input_weight_ = b.weight("input_weight", {inputs, gates_ * width}, Init::fan_in(inputs));
    hidden_weight_ = b.weight("hidden_weight", {width, gates_ * width}, Init::fan_in(width));
    bias_ = b.weight("bias", {gates_ * width}, Init::constant(0));
  }

  DrawnState step(Builder& b, ValueId x, const DrawnState& before) const {
    Rng rng(shape_);
    const DrawnSteps from_input = b.split_evenly(b.matmul(x, input_weight_), -1, gates_);
    const DrawnSteps from_state = b.split_evenly(b.add(b.matmul(before.hidden, hidden_weight_), bias_), -1, gates_);
    DrawnSteps parts{before.memory};
    for (std::size_t i = 0; i < from_input.size(); ++i)
      parts.push_back(activated(b, mixed(b, from_input[i], from_state[i], rng), rng));
    ValueId memory = parts.back();
    while (parts.size() > 1) {
      const ValueId one = taken(parts, rng), other = taken(parts, rng);
      memory = mixed(b, one, other, rng);
      parts.push_back(parts.empty() ? memory : activated(b, memory, rng));
    }
    return {.hidden = b.tanh(parts.front()), .memory = memory};
  }

 private:
  static ValueId taken(DrawnSteps& parts, Rng& rng) {
    std::swap(parts[rng.below(parts.size())], parts.back());
    const ValueId part = parts.back();
    parts.pop_back();
    return part;
  }
  static ValueId mixed(Builder& b, ValueId one, ValueId other, Rng& rng) {
    return rng.below(2) == 0 ? b.add(one, other) : b.mul(one, other);
  }
  static ValueId activated(Builder& b, ValueId x, Rng& rng) {
    switch (rng.below(4)) {
      case 0: return b.sigmoid(x);
      case 1: return b.tanh(x);
      case 2: return b.relu(x);
      default: return x;
    }
  }

  std::int64_t gates_;
  std::uint64_t shape_;  // seed of how gates are put together
  ValueId input_weight_, hidden_weight_, bias_;
};

DrawnSteps drawn_run(Builder& b, const Settings& s, const DrawnSteps& inputs, Rng& rng, std::string_view name) {
  const auto place = b.scope(name);
  const DrawnCell cell(b, b.dim(inputs.front(), 1), s["hidden"], rng);
  const ValueId zeros = b.zeros({s["batch"], s["hidden"]});
  DrawnState state{zeros, zeros};
  const bool is_backward = rng.below(4) == 0;
  DrawnSteps outputs(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::size_t t = is_backward ? inputs.size() - 1 - i : i;
    const auto step = b.scope(fmt::format("step{}", t));
    state = cell.step(b, inputs[t], state);
    outputs[t] = state.hidden;
  }
  return outputs;
}

/// [batch, steps, width].
ValueId drawn_rows(Builder& b, const DrawnSteps& steps) {
  DrawnSteps rows;
  for (const ValueId step : steps) rows.push_back(b.unsqueeze(step, {1}));
  return b.concat(rows, 1);
}

/// Every step looks back at all steps of an earlier layer, and goes on with what it saw beside what it had.
DrawnSteps with_attention(Builder& b, const DrawnSteps& steps, const DrawnSteps& earlier) {
  const auto place = b.scope("attention");
  const ValueId memory = drawn_rows(b, earlier), keys = b.transpose(memory, {0, 2, 1});
  const std::int64_t width = b.dim(steps.front(), 1);
  const ValueId query_weight = b.weight("query_weight", {width, b.dim(memory, 2)}, Init::fan_in(width));
  DrawnSteps seen;
  for (const ValueId step : steps) {
    const ValueId shares = b.softmax(b.matmul(b.unsqueeze(b.matmul(step, query_weight), {1}), keys));
    seen.push_back(b.concat({step, b.squeeze(b.matmul(shares, memory), {1})}, 1));
  }
  return seen;
}

/// One more layer: one or two runs over the steps, with or without a link past it, or attention to an earlier one.
DrawnSteps drawn_layer(Builder& b, const Settings& s, const DrawnSteps& inputs, const DrawnSteps& earlier, Rng& rng) {
  enum { plain, residual, attention, both_ways };
  const auto links = rng.below(4);
  DrawnSteps outputs = drawn_run(b, s, links == attention ? with_attention(b, inputs, earlier) : inputs, rng, "run");
  if (links == both_ways) {
    const DrawnSteps others = drawn_run(b, s, inputs, rng, "other");
    for (std::size_t t = 0; t < outputs.size(); ++t) outputs[t] = b.concat({outputs[t], others[t]}, 1);
  }
  if (links == residual && b.dim(inputs.front(), 1) == s["hidden"])
    for (std::size_t t = 0; t < outputs.size(); ++t) outputs[t] = b.add(outputs[t], inputs[t]);
  return outputs;
}

void drawn_rnn(Builder& b, const Settings& s) {
  Rng rng(static_cast<std::uint64_t>(s["cells"]));
  const ValueId signal = b.input("signal", {s["batch"], s["length"], s["features"]});
  DrawnSteps steps;
  for (const ValueId part : b.split_evenly(signal, 1, s["length"])) steps.push_back(b.squeeze(part, {1}));
  const DrawnSteps first = steps;
  for (std::int64_t i = 0; i < s["layers"]; ++i) {
    const auto layer = b.scope(fmt::format("layer{}", i));
    steps = drawn_layer(b, s, steps, first, rng);
  }
  if (rng.below(2) == 0) b.predict_classes(b.linear("classes", drawn_rows(b, steps), s["classes"]));
  else b.predict_values(b.linear("values", steps.back(), s["classes"]));
}

const ZooFamily drawn_rnn_family({{"drawn-rnn",
                                   "Recurrent network, unrolled, whose cells and links are drawn: to learn from",
                                   {batch_parameter(),
                                    length_parameter("length", 10, "time steps"),
                                    depth_parameter("layers", 2, "recurrent layers"),
                                    {"hidden", 256, "width"},
                                    {"features", 128, "inputs of a step"},
                                    {"classes", 1000, "results of a step or of the last"},
                                    {"cells", 1, "seed of cells and links"}},
                                   drawn_rnn}});

}  // namespace
}  // namespace hone::zoo

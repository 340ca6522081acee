#include "zoo/builder.h"
#include "zoo/registry.h"

// Recurrent language models unrolled in time: LSTM layers (Zaremba et al., 2014) and the cell found by Zoph and Le
// (2016).

namespace hone::zoo {
namespace {

/// [batch, width] for each time step.
std::vector<ValueId> embedded_steps(Builder& b, const Settings& s) {
  const std::int64_t length = s["length"];
  const ValueId ids = b.input("input_ids", {s["batch"], length}, ElementType::int64);
  const ValueId embedded = b.embedding("words", ids, s["vocabulary"], s["hidden"]);
  std::vector<ValueId> steps;
  for (const ValueId part : b.split_evenly(embedded, 1, length)) steps.push_back(b.squeeze(part, {1}));
  return steps;
}

/// Joins the steps and predicts the next word at each.
void predict_words(Builder& b, const Settings& s, std::span<const ValueId> steps) {
  std::vector<ValueId> rows;
  for (const ValueId step : steps) rows.push_back(b.unsqueeze(step, {1}));
  b.predict_classes(b.linear("softmax", b.concat(rows, 1), s["vocabulary"]));
}

void rnnlm(Builder& b, const Settings& s) {
  std::vector<ValueId> steps = embedded_steps(b, s);
  for (std::int64_t i = 0; i < s["layers"]; ++i) {
    const auto layer = b.scope(fmt::format("layer{}", i));
    const LstmCell cell = b.lstm_cell("cell", s["hidden"], s["hidden"]);
    const ValueId zeros = b.zeros({s["batch"], s["hidden"]});
    LstmState state{zeros, zeros};
    for (std::size_t t = 0; t < steps.size(); ++t) {
      const auto place = b.scope(fmt::format("step{}", t));
      state = b.lstm_step(cell, steps[t], state);
      steps[t] = state.hidden;
    }
  }
  predict_words(b, s, steps);
}

/// One step of the searched cell: eight mixes of input and memory, combined in a tree.
LstmState searched_step(Builder& b, const LstmCell& cell, ValueId x, LstmState before) {
  const std::vector<ValueId> u = b.split_evenly(b.matmul(x, cell.input_weight), -1, 8);
  const std::vector<ValueId> m = b.split_evenly(b.add(b.matmul(before.hidden, cell.hidden_weight), cell.bias), -1, 8);
  const auto sum = [&](std::size_t i) { return b.add(u[i], m[i]); };
  const ValueId first = b.mul(b.sigmoid(sum(0)), b.relu(sum(1)));
  const ValueId second = b.add(b.sigmoid(sum(2)), b.relu(b.mul(u[3], m[3])));
  const ValueId third = b.mul(b.tanh(sum(4)), b.sigmoid(sum(5)));
  const ValueId fourth = b.add(b.tanh(sum(6)), b.sigmoid(sum(7)));
  const ValueId memory = b.tanh(b.add(b.tanh(first), before.cell));
  const ValueId state = b.mul(memory, b.tanh(second));
  const ValueId gate = b.tanh(b.add(b.tanh(third), b.sigmoid(fourth)));
  return {.hidden = b.tanh(b.mul(state, gate)), .cell = state};
}

void nasrnn(Builder& b, const Settings& s) {
  const std::int64_t width = s["hidden"];
  std::vector<ValueId> steps = embedded_steps(b, s);
  for (std::int64_t i = 0; i < s["layers"]; ++i) {
    const auto layer = b.scope(fmt::format("layer{}", i));
    const LstmCell cell{.input_weight = b.weight("input_weight", {width, 8 * width}, Init::fan_in(width)),
                        .hidden_weight = b.weight("hidden_weight", {width, 8 * width}, Init::fan_in(width)),
                        .bias = b.weight("bias", {8 * width}, Init::constant(0))};
    const ValueId zeros = b.zeros({s["batch"], width});
    LstmState state{zeros, zeros};
    for (std::size_t t = 0; t < steps.size(); ++t) {
      const auto place = b.scope(fmt::format("step{}", t));
      state = searched_step(b, cell, steps[t], state);
      steps[t] = state.hidden;
    }
  }
  predict_words(b, s, steps);
}

std::vector<Parameter> rnnlm_parameters(std::int64_t length, std::int64_t hidden) {
  return {batch_parameter(),
          length_parameter("length", length, "time steps"),
          depth_parameter("layers", 2, "recurrent layers"),
          {"hidden", hidden, "width"},
          {"vocabulary", 10000, "words"}};
}

const ZooFamily rnnlm_family({
    {"rnnlm", "LSTM language model, unrolled", rnnlm_parameters(35, 1024), rnnlm},
    {"nasrnn", "Language model with the recurrent cell found by search, unrolled", rnnlm_parameters(10, 512), nasrnn},
});

}  // namespace
}  // namespace hone::zoo

#include "zoo/builder.h"
#include "zoo/registry.h"

// GNMT (Wu et al., 2016), unrolled in time: a bidirectional first encoder layer, residual connections from the third
// layer on, and additive attention from the first decoder layer, whose context every decoder layer reads.

namespace hone::zoo {
namespace {

using Steps = std::vector<ValueId>;  // [batch, width] for each time step

enum class Direction { forward, backward };

Steps run_layer(Builder& b, std::string_view name, const Steps& inputs, std::int64_t width, Direction direction) {
  const auto layer = b.scope(name);
  const LstmCell cell = b.lstm_cell("cell", b.dim(inputs[0], 1), width);
  const ValueId zeros = b.zeros({b.dim(inputs[0], 0), width});
  LstmState state{zeros, zeros};
  Steps outputs(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::size_t t = direction == Direction::forward ? i : inputs.size() - 1 - i;
    const auto place = b.scope(fmt::format("step{}", t));
    state = b.lstm_step(cell, inputs[t], state);
    outputs[t] = state.hidden;
  }
  return outputs;
}

Steps embedded(Builder& b, const Settings& s, std::string_view name) {
  const std::int64_t length = s["length"];
  const ValueId ids = b.input(fmt::format("{}_ids", name), {s["batch"], length}, ElementType::int64);
  Steps steps;
  const ValueId words = b.embedding(fmt::format("{}_words", name), ids, s["vocabulary"], s["hidden"]);
  for (const ValueId part : b.split_evenly(words, 1, length)) steps.push_back(b.squeeze(part, {1}));
  return steps;
}

/// [batch, steps, width].
ValueId joined(Builder& b, const Steps& steps) {
  Steps rows;
  for (const ValueId step : steps) rows.push_back(b.unsqueeze(step, {1}));
  return b.concat(rows, 1);
}

ValueId encode(Builder& b, const Settings& s) {
  const std::int64_t width = s["hidden"];
  const Steps words = embedded(b, s, "source");
  const auto place = b.scope("encoder");
  const Steps left = run_layer(b, "forward", words, width, Direction::forward);
  const Steps right = run_layer(b, "backward", words, width, Direction::backward);
  Steps steps;
  for (std::size_t t = 0; t < words.size(); ++t) steps.push_back(b.concat({left[t], right[t]}, 1));
  for (std::int64_t i = 1; i < s["layers"]; ++i) {
    const std::string name = fmt::format("layer{}", i);
    Steps outputs = run_layer(b, name, steps, width, Direction::forward);
    const auto layer = b.scope(name);
    if (i >= 2)
      for (std::size_t t = 0; t < steps.size(); ++t) outputs[t] = b.add(outputs[t], steps[t]);
    steps = std::move(outputs);
  }
  return joined(b, steps);
}

/// What attention needs at every decoder step.
struct Memory {
  ValueId values;  // [batch, steps, width]
  ValueId keys;    // the same, projected
  ValueId mask;    // [batch, 1, 1, steps], added to scores
  ValueId query_weight;
  ValueId score_weight;  // [width, 1]
};

Memory remember(Builder& b, const Settings& s, ValueId values) {
  const auto place = b.scope("attention");
  const std::int64_t width = s["hidden"];
  const ValueId present = b.input("source_mask", {s["batch"], s["length"]}, ElementType::int64);
  return {.values = values,
          .keys = b.linear("keys", values, width, Bias::none),
          .mask = b.squeeze(b.padding_mask(present), {1}),
          .query_weight = b.weight("query_weight", {width, width}, Init::fan_in(width)),
          .score_weight = b.weight("score_weight", {width, 1}, Init::fan_in(width))};
}

/// Weighted mean of the memory by v' tanh(keys + query): [batch, width].
ValueId context(Builder& b, const Memory& memory, ValueId query) {
  const auto place = b.scope("attention");
  const ValueId mixed = b.tanh(b.add(memory.keys, b.unsqueeze(b.matmul(query, memory.query_weight), {1})));
  const ValueId scores = b.transpose(b.matmul(mixed, memory.score_weight), {0, 2, 1});
  return b.squeeze(b.matmul(b.softmax(b.add(scores, memory.mask)), memory.values), {1});
}

/// The first layer and attention, step by step: a step reads the context of the step before.
struct Attended {
  Steps outputs;
  Steps contexts;
};

Attended run_first_layer(Builder& b, const Settings& s, const Memory& memory, const Steps& words) {
  const auto layer = b.scope("layer0");
  const std::int64_t width = s["hidden"];
  const LstmCell cell = b.lstm_cell("cell", 2 * width, width);
  const ValueId zeros = b.zeros({s["batch"], width});
  LstmState state{zeros, zeros};
  ValueId seen = zeros;
  Attended result;
  for (std::size_t t = 0; t < words.size(); ++t) {
    const auto place = b.scope(fmt::format("step{}", t));
    state = b.lstm_step(cell, b.concat({words[t], seen}, 1), state);
    seen = context(b, memory, state.hidden);
    result.outputs.push_back(state.hidden);
    result.contexts.push_back(seen);
  }
  return result;
}

Steps decode(Builder& b, const Settings& s, const Memory& memory) {
  const Steps words = embedded(b, s, "target");
  const auto place = b.scope("decoder");
  Attended first = run_first_layer(b, s, memory, words);
  Steps steps = std::move(first.outputs);
  for (std::int64_t i = 1; i < s["layers"]; ++i) {
    const std::string name = fmt::format("layer{}", i);
    const auto layer = b.scope(name);
    Steps inputs;
    for (std::size_t t = 0; t < steps.size(); ++t) inputs.push_back(b.concat({steps[t], first.contexts[t]}, 1));
    Steps outputs = run_layer(b, "lstm", inputs, s["hidden"], Direction::forward);
    if (i >= 2)
      for (std::size_t t = 0; t < steps.size(); ++t) outputs[t] = b.add(outputs[t], steps[t]);
    steps = std::move(outputs);
  }
  return steps;
}

void gnmt(Builder& b, const Settings& s) {
  const Memory memory = remember(b, s, encode(b, s));
  b.predict_classes(b.linear("projection", joined(b, decode(b, s, memory)), s["vocabulary"]));
}

const ZooFamily family({{"gnmt",
                         "GNMT: LSTM encoder and decoder with attention, unrolled",
                         {batch_parameter(),
                          {"length", 50, "source and target words"},
                          {"layers", 2, "recurrent layers on each side"},
                          {"hidden", 1024, "width"},
                          {"vocabulary", 32000, "word pieces"}},
                         gnmt}});

}  // namespace
}  // namespace hone::zoo

#include "zoo/builder.h"
#include "zoo/registry.h"

// GNMT (Wu et al., 2016), unrolled in time: a bidirectional first encoder layer, residual connections from the third
// layer on, and additive attention from the first decoder layer, whose context every decoder layer reads.

namespace hone::zoo {
namespace {

using Steps = std::vector<ValueId>;  // [batch, width] for each time step

enum class Direction { forward, backward };

/// How a recurrent layer runs through its inputs.
struct Run {
  std::int64_t width = 0;
  Direction direction = Direction::forward;
  Steps present = {};  // [batch, 1] of bool: where a sentence has ended the state stays; empty: all are as long
};

ValueId hold(Builder& b, const Run& run, std::size_t t, ValueId after, ValueId before) {
  return run.present.empty() ? after : b.where(run.present[t], after, before);
}

Steps run_layer(Builder& b, std::string_view name, const Steps& inputs, const Run& run) {
  const auto layer = b.scope(name);
  const LstmCell cell = b.lstm_cell("cell", b.dim(inputs[0], 1), run.width);
  const ValueId zeros = b.zeros({b.dim(inputs[0], 0), run.width});
  LstmState state{zeros, zeros};
  Steps outputs(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::size_t t = run.direction == Direction::forward ? i : inputs.size() - 1 - i;
    const auto place = b.scope(fmt::format("step{}", t));
    const LstmState after = b.lstm_step(cell, inputs[t], state);
    // Nobody reads what the cell holds after the last step.
    const ValueId kept = i + 1 == inputs.size() ? after.cell : hold(b, run, t, after.cell, state.cell);
    state = {.hidden = hold(b, run, t, after.hidden, state.hidden), .cell = kept};
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

/// [batch, 1] of bool for each step.
Steps presence(Builder& b, ValueId mask) {
  return b.split_evenly(b.cast(mask, ElementType::boolean), 1, b.dim(mask, 1));
}

/// Adds the input of a layer to its output, from the third layer on.
Steps with_residual(Builder& b, std::int64_t layer, Steps outputs, const Steps& inputs) {
  if (layer < 2) return outputs;
  const auto place = b.scope(fmt::format("residual{}", layer));
  for (std::size_t t = 0; t < inputs.size(); ++t) outputs[t] = b.add(outputs[t], inputs[t]);
  return outputs;
}

ValueId encode(Builder& b, const Settings& s, ValueId mask) {
  const Steps words = embedded(b, s, "source");
  const auto place = b.scope("encoder");
  Run run{.width = s["hidden"], .direction = Direction::forward, .present = presence(b, mask)};
  const Steps left = run_layer(b, "forward", words, run);
  run.direction = Direction::backward;
  const Steps right = run_layer(b, "backward", words, run);
  run.direction = Direction::forward;
  Steps steps;
  for (std::size_t t = 0; t < words.size(); ++t) steps.push_back(b.concat({left[t], right[t]}, 1));
  for (std::int64_t i = 1; i < s["layers"]; ++i)
    steps = with_residual(b, i, run_layer(b, fmt::format("layer{}", i), steps, run), steps);
  return joined(b, steps);
}

/// What attention needs at every decoder step.
struct Memory {
  ValueId values;  // [batch, steps, width]; twice as wide when the only encoder layer is the bidirectional one
  ValueId keys;    // [batch, steps, width], projected from the values
  ValueId mask;    // [batch, 1, 1, steps], added to scores
  ValueId query_weight;
  ValueId score_weight;  // [width, 1]
};

Memory remember(Builder& b, const Settings& s, ValueId values, ValueId present) {
  const auto place = b.scope("attention");
  const std::int64_t width = s["hidden"];
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
  const std::int64_t width = s["hidden"], context_width = b.dim(memory.values, -1);
  const LstmCell cell = b.lstm_cell("cell", width + context_width, width);
  const ValueId zeros = b.zeros({s["batch"], width});
  LstmState state{zeros, zeros};
  ValueId seen = b.zeros({s["batch"], context_width});
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
    const auto layer = b.scope(fmt::format("layer{}", i));
    Steps inputs;
    for (std::size_t t = 0; t < steps.size(); ++t) inputs.push_back(b.concat({steps[t], first.contexts[t]}, 1));
    steps = with_residual(b, i, run_layer(b, "lstm", inputs, {.width = s["hidden"]}), steps);
  }
  return steps;
}

void gnmt(Builder& b, const Settings& s) {
  const ValueId mask = b.input("source_mask", {s["batch"], s["length"]}, ElementType::int64);
  const Memory memory = remember(b, s, encode(b, s, mask), mask);
  b.predict_classes(b.linear("projection", joined(b, decode(b, s, memory)), s["vocabulary"]));
}

const ZooFamily gnmt_family({{"gnmt",
                              "GNMT: LSTM encoder and decoder with attention, unrolled",
                              {batch_parameter(),
                               length_parameter("length", 50, "source and target words"),
                               depth_parameter("layers", 2, "recurrent layers on each side"),
                               {"hidden", 1024, "width"},
                               {"vocabulary", 32000, "word pieces"}},
                              gnmt}});

}  // namespace
}  // namespace hone::zoo

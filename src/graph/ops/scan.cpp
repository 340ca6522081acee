#include <algorithm>

#include "graph/ops/axes.h"
#include "graph/ops/evaluate_context.h"
#include "graph/ops/family.h"
#include "graph/ops/infer_context.h"
#include "graph/ops/tensor_pieces.h"
#include "graph/ops/type_join.h"

// Scan: runs its body once for every element of some axis of its scan inputs.
//
//   inputs  [sequence lengths (version 8)], states, scans        body: states, one element of each scan
//   outputs final states, stacked scans                          ->    states, one element of each output
//
// In version 8 everything has a leading batch axis and the scan axis is the next one.

namespace hone {
namespace {

bool is_batched(const NodeReader& node) { return node.version() == 8; }

/// Where states and scans stand among the inputs.
struct ScanLayout {
  std::size_t first_state = 0;
  std::size_t states = 0;
  std::size_t scans = 0;

  std::size_t first_scan() const { return first_state + states; }
};

ScanLayout layout_of(const NodeReader& node) {
  ScanLayout layout{.first_state = is_batched(node) ? std::size_t{1} : 0};
  const std::int64_t scans = node.integer("num_scan_inputs");
  const auto available = static_cast<std::int64_t>(node.input_count()) - static_cast<std::int64_t>(layout.first_state);
  if (scans < 1 || scans > available) node.fail("num_scan_inputs is {} with {} inputs", scans, node.input_count());
  layout.scans = static_cast<std::size_t>(scans);
  layout.states = static_cast<std::size_t>(available - scans);
  return layout;
}

/// Entry `i` of an attribute that lists one number a scan; 0 when it is absent.
std::int64_t listed(const NodeReader& node, std::string_view attribute, std::size_t i) {
  const std::vector<std::int64_t> given = node.integers(attribute);
  if (given.empty()) return 0;
  if (i >= given.size()) node.fail("attribute '{}' has {} entries", attribute, given.size());
  return given[i];
}

/// Axis that scan input `i` of the given rank (the batch axis not counted) is cut along.
std::size_t input_axis(const NodeReader& node, std::size_t i, std::size_t rank) {
  return normalize_axis(node, is_batched(node) ? 0 : listed(node, "scan_input_axes", i), rank);
}

/// Axis that output `i` is stacked along; `rank` is that of the result.
std::size_t output_axis(const NodeReader& node, std::size_t i, std::size_t rank) {
  return normalize_axis(node, is_batched(node) ? 0 : listed(node, "scan_output_axes", i), rank);
}

bool reads_backwards(const NodeReader& node, std::size_t i) {
  return listed(node, is_batched(node) ? "directions" : "scan_input_directions", i) != 0;
}

bool writes_backwards(const NodeReader& node, std::size_t i) {
  return !is_batched(node) && listed(node, "scan_output_directions", i) != 0;
}

// Inference ----------------------------------------------------------------------------------------------------------

/// Takes the first axis of a type away and says what it was.
Dim drop_axis(Type& type, std::size_t axis) {
  const Dim dim = type.shape[axis];
  type.shape.erase(axis);
  return dim;
}

/// One dim that several inputs share: a number wins over a symbol, two numbers must agree.
void agree(const NodeReader& node, Dim& shared, Dim other) {
  if (shared.known() && other.known() && shared != other)
    node.fail("scans have lengths {} and {}", shared.text(), other.text());
  if (shared.unknown() || other.known()) shared = other;
}

/// What the body sees of the node's inputs, and the sizes of the axes it does not see.
struct BodyInputs {
  std::vector<Type> types;
  Dim batch;
  Dim length;
};

BodyInputs body_inputs(const InferContext& context, const ScanLayout& layout) {
  BodyInputs inputs;
  for (std::size_t i = 0; i < layout.states + layout.scans; ++i) {
    Type type = context.type(layout.first_state + i);
    const bool is_scan = i >= layout.states;
    if (type.ranked && is_batched(context)) {
      if (type.shape.empty()) context.fail("input {} has no batch axis", layout.first_state + i);
      agree(context, inputs.batch, drop_axis(type, 0));
    }
    if (type.ranked && is_scan)
      agree(context, inputs.length, drop_axis(type, input_axis(context, i - layout.states, type.shape.size())));
    inputs.types.push_back(std::move(type));
  }
  return inputs;
}

void infer_scan(InferContext& context) {
  const ScanLayout layout = layout_of(context);
  BodyInputs inputs = body_inputs(context, layout);
  std::vector<Type> outputs = context.infer_body("body", inputs.types);
  if (outputs.size() < layout.states)
    context.fail("the body has {} outputs for {} states", outputs.size(), layout.states);
  bool changed = false;
  for (std::size_t i = 0; i < layout.states; ++i) {
    Type widened = join(inputs.types[i], outputs[i]);
    changed = changed || !(widened == inputs.types[i]);
    inputs.types[i] = std::move(widened);
  }
  if (changed) outputs = context.infer_body("body", inputs.types);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    Type type = i < layout.states ? join(inputs.types[i], outputs[i]) : outputs[i];
    if (type.ranked && i >= layout.states)
      type.shape.insert(output_axis(context, i - layout.states, type.shape.size() + 1), inputs.length);
    if (type.ranked && is_batched(context)) type.shape.insert(0, inputs.batch);
    context.output(i, std::move(type));
  }
}

// Evaluation ---------------------------------------------------------------------------------------------------------

struct ScanResult {
  std::vector<Datum> states;
  std::vector<std::vector<Tensor>> rows;  // of every output, in the order they are stacked
};

/// Runs the body `length` times over scans whose batch axis, if any, is gone.
ScanResult run_steps(const EvaluateContext& context, std::vector<Datum> states, std::span<const Tensor> scans,
                     std::int64_t length) {
  const std::size_t body_outputs = context.body("body").outputs().size();
  if (body_outputs < states.size()) context.fail("the body has {} outputs for {} states", body_outputs, states.size());
  ScanResult result;
  result.rows.resize(body_outputs - states.size());
  const std::size_t count = states.size();
  for (std::int64_t step = 0; step < length; ++step) {
    std::vector<Datum> inputs = std::move(states);
    for (std::size_t i = 0; i < scans.size(); ++i) {
      const std::int64_t index = reads_backwards(context, i) ? length - 1 - step : step;
      inputs.emplace_back(element_along(context, scans[i], input_axis(context, i, scans[i].rank()), index));
    }
    std::vector<Datum> outputs = context.run_body("body", inputs);
    for (std::size_t i = 0; i < result.rows.size(); ++i) {
      if (!outputs[count + i].is_tensor()) context.fail("scan output {} is no tensor", i);
      result.rows[i].push_back(outputs[count + i].tensor());
    }
    outputs.resize(count);
    states = std::move(outputs);
  }
  for (std::size_t i = 0; i < result.rows.size(); ++i)
    if (writes_backwards(context, i)) std::reverse(result.rows[i].begin(), result.rows[i].end());
  result.states = std::move(states);
  return result;
}

/// What one step would have given for an output of the body, all zeros.
Tensor zero_row(const EvaluateContext& context, std::size_t body_output) {
  const Graph& body = context.body("body");
  return zeros_of(context, body.value(body.outputs()[body_output]).type);
}

/// Rows stacked to one tensor; `row` stands in for their shape when there are none.
Tensor stacked(const EvaluateContext& context, std::span<const Tensor> rows, const Tensor& row, std::size_t axis) {
  if (!rows.empty()) return stack_along(context, rows, axis);
  return cut(context, stack_along(context, std::span(&row, 1), axis), axis, 0, 0);
}

std::int64_t common_length(const EvaluateContext& context, std::span<const Tensor> scans) {
  std::optional<std::int64_t> length;
  for (std::size_t i = 0; i < scans.size(); ++i) {
    const std::int64_t own = scans[i].dim(input_axis(context, i, scans[i].rank()));
    if (length.value_or(own) != own) context.fail("scans have lengths {} and {}", *length, own);
    length = own;
  }
  return length.value_or(0);
}

void evaluate_plain(EvaluateContext& context, const ScanLayout& layout) {
  std::vector<Datum> states;
  std::vector<Tensor> scans;
  for (std::size_t i = 0; i < layout.states; ++i) states.push_back(context.input(layout.first_state + i));
  for (std::size_t i = 0; i < layout.scans; ++i) scans.push_back(context.tensor(layout.first_scan() + i));
  ScanResult result = run_steps(context, std::move(states), scans, common_length(context, scans));
  for (std::size_t i = 0; i < layout.states; ++i) context.output(i, std::move(result.states[i]));
  for (std::size_t i = 0; i < result.rows.size(); ++i) {
    const Tensor row = result.rows[i].empty() ? zero_row(context, layout.states + i) : result.rows[i].front();
    const std::size_t axis = output_axis(context, i, row.rank() + 1);
    context.output(layout.states + i, stacked(context, result.rows[i], row, axis));
  }
}

/// Steps that batch entry `entry` asks for, out of `length`.
std::int64_t steps_of(const EvaluateContext& context, std::int64_t entry, std::int64_t length) {
  if (!context.has_input(0)) return length;
  const Tensor& lengths = context.tensor(0);
  if (entry >= static_cast<std::int64_t>(lengths.count()))
    context.fail("there is no sequence length for batch entry {}", entry);
  const std::int64_t steps = lengths.integer_at(static_cast<std::size_t>(entry));
  if (steps < 0 || steps > length) context.fail("sequence length {} is not within 0 to {}", steps, length);
  return steps;
}

void evaluate_batched(EvaluateContext& context, const ScanLayout& layout) {
  const Tensor& first = context.tensor(layout.first_scan());
  if (first.rank() < 2) context.fail("a scan input has rank {}", first.rank());
  std::vector<std::vector<Tensor>> gathered(context.body("body").outputs().size());
  for (std::int64_t entry = 0; entry < first.dim(0); ++entry) {
    std::vector<Datum> states;
    std::vector<Tensor> scans;
    for (std::size_t i = 0; i < layout.states; ++i)
      states.emplace_back(element_along(context, context.tensor(layout.first_state + i), 0, entry));
    for (std::size_t i = 0; i < layout.scans; ++i)
      scans.push_back(element_along(context, context.tensor(layout.first_scan() + i), 0, entry));
    const std::int64_t length = common_length(context, scans);
    ScanResult result = run_steps(context, std::move(states), scans, steps_of(context, entry, length));
    for (std::size_t i = 0; i < layout.states; ++i) {
      if (!result.states[i].is_tensor()) context.fail("state {} is no tensor", i);
      gathered[i].push_back(result.states[i].tensor());
    }
    for (std::size_t i = 0; i < result.rows.size(); ++i) {
      std::vector<Tensor>& rows = result.rows[i];
      const Tensor like = rows.empty() ? zero_row(context, layout.states + i) : rows.front();
      while (std::ssize(rows) < length) rows.push_back(Tensor::zeros(like.type(), like.dims()));
      gathered[layout.states + i].push_back(stacked(context, rows, like, 0));
    }
  }
  for (std::size_t i = 0; i < gathered.size(); ++i) {
    if (gathered[i].empty()) context.fail("the batch is empty");
    context.output(i, stack_along(context, gathered[i], 0));
  }
}

void evaluate_scan(EvaluateContext& context) {
  const ScanLayout layout = layout_of(context);
  if (is_batched(context)) evaluate_batched(context, layout);
  else evaluate_plain(context, layout);
}

// clang-format off
const OpFamily scan_family({
    {.name = "Scan", .versions = {8, 9, 11, 16, 19, 21, 23, 24}, .inputs = {1, kMany}, .outputs = {1, kMany},
     .attributes = {graph("body"), integer("num_scan_inputs"), integers("directions").until(9),
                    integers("scan_input_axes").since(9), integers("scan_output_axes").since(9),
                    integers("scan_input_directions").since(9), integers("scan_output_directions").since(9)},
     .infer = infer_scan, .evaluate = evaluate_scan},
});
// clang-format on

}  // namespace
}  // namespace hone

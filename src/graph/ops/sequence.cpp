#include <algorithm>

#include "graph/ops/axes.h"
#include "graph/ops/evaluate_context.h"
#include "graph/ops/family.h"
#include "graph/ops/infer_context.h"
#include "graph/ops/tensor_pieces.h"
#include "graph/ops/type_join.h"

// Sequences and optionals. At run time a full optional is its element, an empty one is nothing.

namespace hone {
namespace {

// Sequences ----------------------------------------------------------------------------------------------------------

/// Element type of a sequence input; unknown when it is not known to be one.
Type element_of(const InferContext& context, std::size_t input) {
  const Type& type = context.type(input);
  return type.kind == Type::Kind::sequence && type.inner ? *type.inner : Type{};
}

void output_sequence(InferContext& context, std::size_t output, Type element) {
  if (element.kind != Type::Kind::unknown)
    context.output(output, Type::container(Type::Kind::sequence, std::move(element)));
}

const Sequence& sequence_input(const EvaluateContext& context, std::size_t input) {
  if (!context.has_input(input) || !context.input(input).is_sequence()) context.fail("input {} is no sequence", input);
  return context.input(input).sequence();
}

/// The one integer a position or length input holds.
std::int64_t single_integer(const EvaluateContext& context, std::size_t input) {
  const Tensor& tensor = context.tensor(input);
  if (tensor.count() != 1) context.fail("input {} has {} elements, takes 1", input, tensor.count());
  return tensor.integer_at(0);
}

/// A position in a sequence, counted from the front; `limit` is one past the last allowed.
std::size_t position_in(const EvaluateContext& context, std::int64_t given, const Sequence& sequence,
                        std::int64_t limit) {
  const std::int64_t length = std::ssize(sequence.items);
  if (given < -length || given >= limit) context.fail("position {} is outside a sequence of {}", given, length);
  return static_cast<std::size_t>(given < 0 ? given + length : given);
}

Type joined_inputs(const InferContext& context) {
  Type element = context.type(0);
  for (std::size_t i = 1; i < context.input_count(); ++i) element = join(element, context.type(i));
  return element;
}

void infer_construct(InferContext& context) { output_sequence(context, 0, joined_inputs(context)); }

void evaluate_construct(EvaluateContext& context) {
  Sequence sequence{.items = {}, .element = context.tensor(0).type()};
  for (std::size_t i = 0; i < context.input_count(); ++i) {
    if (context.tensor(i).type() != sequence.element) context.fail("input {} has another element type", i);
    sequence.items.emplace_back(context.tensor(i));
  }
  context.output(0, std::move(sequence));
}

ElementType empty_element(const NodeReader& node) {
  const std::int64_t given = node.integer("dtype");
  if (!is_known_element_type(given)) node.fail("dtype {} is not an element type", given);
  return static_cast<ElementType>(given);
}

void infer_empty(InferContext& context) { output_sequence(context, 0, Type::tensor(empty_element(context))); }

void evaluate_empty(EvaluateContext& context) {
  context.output(0, Sequence{.items = {}, .element = empty_element(context)});
}

void infer_insert(InferContext& context) { output_sequence(context, 0, join(element_of(context, 0), context.type(1))); }

void evaluate_insert(EvaluateContext& context) {
  Sequence sequence = sequence_input(context, 0);
  const std::int64_t length = std::ssize(sequence.items);
  const std::int64_t given = context.has_input(2) ? single_integer(context, 2) : length;
  const std::size_t position = position_in(context, given, sequence, length + 1);
  sequence.items.insert(sequence.items.begin() + static_cast<std::ptrdiff_t>(position), context.tensor(1));
  if (sequence.element == ElementType::undefined) sequence.element = context.tensor(1).type();
  context.output(0, std::move(sequence));
}

void infer_erase(InferContext& context) { output_sequence(context, 0, element_of(context, 0)); }

void evaluate_erase(EvaluateContext& context) {
  Sequence sequence = sequence_input(context, 0);
  const std::int64_t length = std::ssize(sequence.items);
  const std::int64_t given = context.has_input(1) ? single_integer(context, 1) : length - 1;
  const std::size_t position = position_in(context, given, sequence, length);
  sequence.items.erase(sequence.items.begin() + static_cast<std::ptrdiff_t>(position));
  context.output(0, std::move(sequence));
}

void infer_at(InferContext& context) { context.output(0, element_of(context, 0)); }

void evaluate_at(EvaluateContext& context) {
  const Sequence& sequence = sequence_input(context, 0);
  const std::size_t position = position_in(context, single_integer(context, 1), sequence, std::ssize(sequence.items));
  context.output(0, sequence.items[position]);
}

void infer_length(InferContext& context) { context.output(0, ElementType::int64, Shape{}); }

void evaluate_length(EvaluateContext& context) {
  context.output(0, Tensor::scalar<std::int64_t>(std::ssize(sequence_input(context, 0).items)));
}

bool adds_axis(const NodeReader& node) { return node.integer("new_axis") != 0; }

void infer_concat_from_sequence(InferContext& context) {
  Type type = element_of(context, 0);
  if (type.ranked) {
    const std::size_t rank = type.shape.size() + (adds_axis(context) ? 1 : 0);
    const std::size_t axis = normalize_axis(context, context.integer("axis"), rank);
    if (adds_axis(context)) type.shape.insert(axis, Dim());
    else type.shape[axis] = Dim();
  }
  context.output(0, std::move(type));
}

void evaluate_concat_from_sequence(EvaluateContext& context) {
  std::vector<Tensor> parts;
  for (const Datum& item : sequence_input(context, 0).items) {
    if (!item.is_tensor()) context.fail("the sequence holds more than tensors");
    parts.push_back(item.tensor());
  }
  if (parts.empty()) context.fail("the sequence is empty");
  const std::size_t rank = parts[0].rank() + (adds_axis(context) ? 1 : 0);
  const std::size_t axis = normalize_axis(context, context.integer("axis"), rank);
  context.output(0, adds_axis(context) ? stack_along(context, parts, axis) : join_along(context, parts, axis));
}

// SplitToSequence: `split` is one length for all parts, or a list of lengths; without it every part has length 1 and
// the axis goes unless keepdims says otherwise.

void infer_split_to_sequence(InferContext& context) {
  if (context.shape(0) == nullptr) return output_sequence(context, 0, Type::tensor(context.element(0)));
  Shape shape = *context.shape(0);
  const std::size_t axis = normalize_axis(context, context.integer("axis"), shape.size());
  if (!context.has_input(1)) {
    if (context.integer("keepdims") != 0) shape[axis] = 1;
    else shape.erase(axis);
  } else {
    const auto lengths = context.known_integers(1);
    const Dim whole = shape[axis];
    const bool even = lengths && !lengths->empty() && lengths->front() >= 0 &&
                      std::ranges::all_of(*lengths, [&](std::int64_t n) { return n == lengths->front(); });
    const bool exact = even && (context.shape(1) == nullptr || !context.shape(1)->empty() ||
                                (whole.known() && lengths->front() > 0 && whole.value() % lengths->front() == 0));
    shape[axis] = exact ? Dim(lengths->front()) : Dim();
  }
  output_sequence(context, 0, Type::tensor(context.element(0), shape));
}

std::vector<std::int64_t> split_lengths(const EvaluateContext& context, std::int64_t whole) {
  if (!context.has_input(1)) return std::vector<std::int64_t>(static_cast<std::size_t>(whole), 1);
  if (context.tensor(1).rank() > 0) return context.tensor(1).integers();
  const std::int64_t step = single_integer(context, 1);
  if (step <= 0) context.fail("cannot split into parts of length {}", step);
  std::vector<std::int64_t> lengths;
  for (std::int64_t first = 0; first < whole; first += std::min(step, whole - first))
    lengths.push_back(std::min(step, whole - first));
  return lengths;
}

void evaluate_split_to_sequence(EvaluateContext& context) {
  const Tensor& tensor = context.tensor(0);
  const std::size_t axis = normalize_axis(context, context.integer("axis"), tensor.rank());
  const bool drops_axis = !context.has_input(1) && context.integer("keepdims") == 0;
  Sequence parts{.items = {}, .element = tensor.type()};
  std::int64_t first = 0;
  for (const std::int64_t length : split_lengths(context, tensor.dim(axis))) {
    parts.items.emplace_back(drops_axis ? element_along(context, tensor, axis, first)
                                        : cut(context, tensor, axis, first, length));
    first += length;
  }
  if (first != tensor.dim(axis))
    context.fail("the parts have {} of {} elements of axis {}", first, tensor.dim(axis), axis);
  context.output(0, std::move(parts));
}

// SequenceMap: the body runs once for every element of the first sequence; tensors among the other inputs stay as they
// are.

void infer_map(InferContext& context) {
  std::vector<Type> inputs;
  for (std::size_t i = 0; i < context.input_count(); ++i)
    inputs.push_back(context.type(i).kind == Type::Kind::sequence ? element_of(context, i) : context.type(i));
  const std::vector<Type> outputs = context.infer_body("body", inputs);
  for (std::size_t i = 0; i < outputs.size(); ++i) output_sequence(context, i, outputs[i]);
}

void evaluate_map(EvaluateContext& context) {
  const std::size_t length = sequence_input(context, 0).items.size();
  const Graph& body = context.body("body");
  std::vector<Sequence> results(body.outputs().size());
  for (std::size_t i = 0; i < results.size(); ++i) results[i].element = body.value(body.outputs()[i]).type.element;
  for (std::size_t step = 0; step < length; ++step) {
    std::vector<Datum> inputs;
    for (std::size_t i = 0; i < context.input_count(); ++i) {
      const Datum& input = context.input(i);
      if (!input.is_sequence()) {
        inputs.push_back(input);
        continue;
      }
      if (input.sequence().items.size() != length)
        context.fail("sequences of {} and {} elements", length, input.sequence().items.size());
      inputs.push_back(input.sequence().items[step]);
    }
    std::vector<Datum> outputs = context.run_body("body", inputs);
    for (std::size_t i = 0; i < results.size(); ++i) results[i].items.push_back(std::move(outputs[i]));
  }
  for (std::size_t i = 0; i < results.size(); ++i) context.output(i, std::move(results[i]));
}

// Optionals ----------------------------------------------------------------------------------------------------------

void infer_optional(InferContext& context) {
  // Without an input only the `type` attribute tells, which the file's own declaration repeats.
  if (context.has_input(0) && context.type(0).kind != Type::Kind::unknown)
    context.output(0, Type::container(Type::Kind::optional, context.type(0)));
}

void evaluate_optional(EvaluateContext& context) {
  context.output(0, context.has_input(0) ? context.input(0) : Datum());
}

void infer_has_element(InferContext& context) { context.output(0, ElementType::boolean, Shape{}); }

void evaluate_has_element(EvaluateContext& context) {
  context.output(0, Tensor::scalar<bool>(context.has_input(0) && !context.input(0).empty()));
}

void infer_get_element(InferContext& context) {
  const Type& type = context.type(0);
  context.output(0, type.kind == Type::Kind::optional ? (type.inner ? *type.inner : Type{}) : type);
}

void evaluate_get_element(EvaluateContext& context) {
  if (!context.has_input(0) || context.input(0).empty()) context.fail("the optional is empty");
  context.output(0, context.input(0));
}

// clang-format off
const OpFamily sequence_family({
    {.name = "SequenceConstruct", .versions = {11}, .inputs = {1, kMany},
     .infer = infer_construct, .evaluate = evaluate_construct},
    {.name = "SequenceEmpty", .versions = {11}, .inputs = {0, 0}, .attributes = {integer("dtype", 1)},
     .infer = infer_empty, .evaluate = evaluate_empty},
    {.name = "SequenceInsert", .versions = {11}, .inputs = {2, 3}, .infer = infer_insert, .evaluate = evaluate_insert},
    {.name = "SequenceErase", .versions = {11}, .inputs = {1, 2}, .infer = infer_erase, .evaluate = evaluate_erase},
    {.name = "SequenceAt", .versions = {11}, .inputs = {2, 2}, .infer = infer_at, .evaluate = evaluate_at},
    {.name = "SequenceLength", .versions = {11}, .infer = infer_length, .evaluate = evaluate_length},
    {.name = "ConcatFromSequence", .versions = {11}, .attributes = {integer("axis"), integer("new_axis", 0)},
     .infer = infer_concat_from_sequence, .evaluate = evaluate_concat_from_sequence},
    {.name = "SplitToSequence", .versions = {11, 24}, .inputs = {1, 2},
     .attributes = {integer("axis", 0), integer("keepdims", 1)}, .infer = infer_split_to_sequence, .evaluate = evaluate_split_to_sequence},
    {.name = "SequenceMap", .versions = {17}, .inputs = {1, kMany}, .outputs = {1, kMany}, .attributes = {graph("body")},
     .infer = infer_map, .evaluate = evaluate_map},
    {.name = "Optional", .versions = {15}, .inputs = {0, 1}, .attributes = {other("type")},
     .infer = infer_optional, .evaluate = evaluate_optional},
    {.name = "OptionalHasElement", .versions = {15, 18}, .inputs = {0, 1},
     .infer = infer_has_element, .evaluate = evaluate_has_element},
    {.name = "OptionalGetElement", .versions = {15, 18},
     .infer = infer_get_element, .evaluate = evaluate_get_element},
});
// clang-format on

}  // namespace
}  // namespace hone

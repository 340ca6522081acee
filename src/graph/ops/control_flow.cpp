#include "graph/ops/evaluate_context.h"
#include "graph/ops/family.h"
#include "graph/ops/infer_context.h"
#include "graph/ops/tensor_pieces.h"
#include "graph/ops/type_join.h"

// If and Loop. What their bodies read from outside arrives without their doing.

namespace hone {
namespace {

// A loop that runs longer than this in the interpreter would not end within a day; it is refused instead of hanging.
constexpr std::int64_t kMaxTrips = 1'000'000'000;

/// The one truth value a condition tensor holds.
bool is_true(const NodeReader& node, const Tensor& condition) {
  if (condition.count() != 1) node.fail("the condition has {} elements", condition.count());
  return condition.integer_at(0) != 0;
}

/// The condition's value where it is certain before running.
std::optional<bool> known_truth(const InferContext& context, std::size_t input) {
  const auto values = context.known_integers(input);
  if (!values || values->size() != 1) return std::nullopt;
  return values->front() != 0;
}

// If -----------------------------------------------------------------------------------------------------------------

/// A branch that cannot run on these inputs is one that is not taken: exporters put variants for several input sizes
/// side by side. It says nothing about the outputs.
void infer_if(InferContext& context) {
  const std::optional<bool> taken = known_truth(context, 0);
  std::optional<std::vector<Type>> then_types = context.try_infer_body("then_branch", {});
  std::optional<std::vector<Type>> else_types = context.try_infer_body("else_branch", {});
  if (taken) (*taken ? else_types : then_types).reset();
  if (!then_types && !else_types)
    context.fail("no branch can run on these inputs: {}", context.refusals().front().reason);
  if (then_types && else_types && then_types->size() != else_types->size())
    context.fail("one branch has {} outputs, the other {}", then_types->size(), else_types->size());
  const std::vector<Type>& types = then_types ? *then_types : *else_types;
  for (std::size_t i = 0; i < types.size(); ++i)
    context.output(i, then_types && else_types ? join(types[i], (*else_types)[i]) : types[i]);
}

void evaluate_if(EvaluateContext& context) {
  const bool taken = is_true(context, context.tensor(0));
  std::vector<Datum> outputs = context.run_body(taken ? "then_branch" : "else_branch", {});
  if (outputs.size() < context.output_count()) context.fail("the branch taken has {} outputs", outputs.size());
  for (std::size_t i = 0; i < outputs.size(); ++i) context.output(i, std::move(outputs[i]));
}

// Loop: inputs trip count, condition, carried values; body (iteration, condition, carried) -> (condition, carried,
// scans).

constexpr std::size_t kFirstCarried = 2;

std::size_t carried_count(const NodeReader& node) {
  return node.input_count() > kFirstCarried ? node.input_count() - kFirstCarried : 0;
}

/// Whether the body's condition output is its condition input or a constant true.
bool keeps_condition(const NodeReader& node) {
  const Graph& body = node.body("body");
  ValueId id = body.outputs()[0];
  while (id.valid() && id != body.inputs()[1]) {
    const Value& value = body.value(id);
    if (value.constant) return value.constant->count() == 1 && value.constant->integer_at(0) != 0;
    if (!value.producer.valid()) return false;
    const Node& producer = body.node(value.producer);
    if (producer.op->is("Constant")) {
      const Attribute* held = producer.attribute("value");
      const Tensor* tensor = held ? std::get_if<Tensor>(&held->value) : nullptr;
      return tensor != nullptr && tensor->count() == 1 && tensor->integer_at(0) != 0;
    }
    if (!producer.op->is("Identity") || producer.inputs.empty()) return false;
    id = producer.inputs[0];
  }
  return id.valid();
}

/// How often the body runs, as far as that is certain.
Dim trip_count(const InferContext& context) {
  if (context.has_input(1)) {
    const std::optional<bool> enters = known_truth(context, 1);
    if (!enters) return {};
    if (!*enters) return 0;
  }
  if (!context.has_input(0)) return {};
  const std::optional<Contents> limit = context.contents(0);
  if (!limit || limit->size() != 1) return {};
  const Dim trips = maximum(limit->front(), 0);
  return trips == Dim(0) || keeps_condition(context) ? trips : Dim();
}

/// What the body is given as iteration number (its input 0) or condition (1): a scalar, or a list of one where it
/// declares a list, as old exporters do and runtimes allow.
Type given_type(const Graph& body, std::size_t input, ElementType element) {
  const Type& declared = body.value(body.inputs()[input]).type;
  const bool listed = declared.is_tensor() && declared.ranked && declared.shape.size() == 1;
  return Type::tensor(element, listed ? Shape{Dim(1)} : Shape{});
}

template <class T>
Tensor given_value(const Graph& body, std::size_t input, T value) {
  const Tensor scalar = Tensor::scalar<T>(value);
  return given_type(body, input, scalar.type()).shape.empty() ? scalar : scalar.reshaped({1});
}

struct LoopTypes {
  std::vector<Type> carried;
  std::vector<Type> scans;  // one iteration's
};

/// Types that hold in every iteration: what an iteration changes is widened, and the body inferred again with that.
LoopTypes infer_iterations(InferContext& context) {
  constexpr int kRounds = 3;
  LoopTypes types;
  for (std::size_t i = 0; i < carried_count(context); ++i) types.carried.push_back(context.type(kFirstCarried + i));
  const Graph& body = context.body("body");
  const bool fits =
      body.inputs().size() == kFirstCarried + types.carried.size() && body.outputs().size() >= 1 + types.carried.size();
  if (!fits) context.fail("the body does not fit {} carried values", types.carried.size());
  for (int round = 1; round <= kRounds; ++round) {
    std::vector<Type> inputs = {given_type(body, 0, ElementType::int64), given_type(body, 1, ElementType::boolean)};
    inputs.insert(inputs.end(), types.carried.begin(), types.carried.end());
    const std::vector<Type> outputs = context.infer_body("body", inputs);
    types.scans.assign(outputs.begin() + 1 + static_cast<std::ptrdiff_t>(types.carried.size()), outputs.end());
    bool stable = true;
    for (std::size_t i = 0; i < types.carried.size(); ++i) {
      Type widened = join(types.carried[i], outputs[i + 1]);
      if (widened == types.carried[i]) continue;
      types.carried[i] = round + 1 < kRounds ? std::move(widened) : without_shape(widened);
      stable = false;
    }
    if (stable) break;
  }
  return types;
}

void infer_loop(InferContext& context) {
  const LoopTypes types = infer_iterations(context);
  for (std::size_t i = 0; i < types.carried.size(); ++i) context.output(i, types.carried[i]);
  const Dim trips = trip_count(context);
  for (std::size_t i = 0; i < types.scans.size(); ++i) {
    Type stacked = types.scans[i];
    if (stacked.ranked) stacked.shape.insert(0, trips);
    context.output(types.carried.size() + i, std::move(stacked));
  }
}

/// The scan output of a loop that never ran: no rows of the shape its body declares.
Tensor no_rows(const NodeReader& node, const Type& row) {
  const Tensor like = zeros_of(node, row);
  return cut(node, stack_along(node, std::span(&like, 1), 0), 0, 0, 0);
}

std::int64_t trip_limit(const EvaluateContext& context) {
  if (!context.has_input(0) || context.input(0).empty()) return INT64_MAX;
  const Tensor& limit = context.tensor(0);
  if (limit.count() != 1) context.fail("the trip count has {} elements", limit.count());
  return limit.integer_at(0);
}

void evaluate_loop(EvaluateContext& context) {
  const Graph& body = context.body("body");
  const std::size_t carried = carried_count(context);
  if (body.outputs().size() < 1 + carried || body.inputs().size() != kFirstCarried + carried)
    context.fail("the body does not fit {} carried values", carried);
  std::vector<Datum> state(kFirstCarried + carried);
  for (std::size_t i = 0; i < carried; ++i) state[kFirstCarried + i] = context.input(kFirstCarried + i);
  std::vector<std::vector<Tensor>> rows(body.outputs().size() - 1 - carried);

  const std::int64_t limit = trip_limit(context);
  bool going = !context.has_input(1) || context.input(1).empty() || is_true(context, context.tensor(1));
  for (std::int64_t trip = 0; going && trip < limit; ++trip) {
    if (trip == kMaxTrips) context.fail("still running after {} iterations", kMaxTrips);
    state[0] = given_value<std::int64_t>(body, 0, trip);
    state[1] = given_value<bool>(body, 1, true);
    std::vector<Datum> outputs = context.run_body("body", state);
    if (!outputs[0].is_tensor()) context.fail("the body's condition is no tensor");
    going = is_true(context, outputs[0].tensor());
    for (std::size_t i = 0; i < carried; ++i) state[kFirstCarried + i] = std::move(outputs[1 + i]);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!outputs[1 + carried + i].is_tensor()) context.fail("scan output {} is no tensor", i);
      rows[i].push_back(outputs[1 + carried + i].tensor());
    }
  }
  for (std::size_t i = 0; i < carried; ++i) context.output(i, std::move(state[kFirstCarried + i]));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Type& row = body.value(body.outputs()[1 + carried + i]).type;
    context.output(carried + i, rows[i].empty() ? no_rows(context, row) : stack_along(context, rows[i], 0));
  }
}

// clang-format off
const OpFamily control_flow_family({
    {.name = "If", .versions = {1, 11, 13, 16, 19, 21, 23, 24}, .inputs = {1, 1}, .outputs = {1, kMany},
     .attributes = {graph("then_branch"), graph("else_branch")},
     .infer = infer_if, .evaluate = evaluate_if},
    {.name = "Loop", .versions = {1, 11, 13, 16, 19, 21, 23, 24}, .inputs = {2, kMany}, .outputs = {1, kMany},
     .attributes = {graph("body")},
     .infer = infer_loop, .evaluate = evaluate_loop},
});
// clang-format on

}  // namespace
}  // namespace hone

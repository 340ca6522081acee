#include <limits>

#include "graph/ops/cost_context.h"
#include "graph/ops/evaluate_context.h"
#include "graph/ops/family.h"
#include "graph/ops/infer_context.h"
#include "graph/ops/matrix_product.h"
#include "graph/ops/numbers.h"
#include "graph/ops/recurrent_cell.h"

// Recurrent layers: a cell run along a sequence, forwards, backwards or both ways.

namespace hone {
namespace {

/// What tells the recurrent operators apart.
struct CellKind {
  std::string_view op;
  std::size_t gates;
  CellStep step;
  std::vector<std::string_view> activations;
};

const CellKind& kind_of(const NodeReader& node) {
  static const CellKind kinds[] = {{"RNN", 1, step_rnn, {"Tanh"}},
                                   {"GRU", 3, step_gru, {"Sigmoid", "Tanh"}},
                                   {"LSTM", 4, step_lstm, {"Sigmoid", "Tanh", "Tanh"}}};
  for (const CellKind& kind : kinds)
    if (kind.op == node.entry().name) return kind;
  node.fail("is no recurrent operator");
}

std::int64_t directions_of(const NodeReader& node) {
  const std::string& direction = node.text("direction");
  if (direction == "bidirectional") return 2;
  if (direction != "forward" && direction != "reverse") node.fail("direction cannot be '{}'", direction);
  return 1;
}

/// Whether the batch comes before the sequence.
bool batch_first(const NodeReader& node) { return node.version() >= 14 && node.integer("layout") != 0; }

void infer_recurrent(InferContext& context) {
  const Shape *x = context.shape(0), *r = context.shape(2);
  if (x != nullptr && x->size() != 3) context.fail("the input {} has not three dims", text_of(*x));
  Dim length, batch, hidden;
  const bool swapped = batch_first(context);
  if (x != nullptr) {
    length = (*x)[swapped ? 1 : 0];
    batch = (*x)[swapped ? 0 : 1];
  }
  if (context.has_attribute("hidden_size")) hidden = context.integer("hidden_size");
  else if (r != nullptr && r->size() == 3) hidden = (*r)[2];
  const Dim directions = directions_of(context);
  const ElementType element = context.element(0);
  context.output(0, element,
                 swapped ? Shape{batch, length, directions, hidden} : Shape{length, directions, batch, hidden});
  for (std::size_t i = 1; i < 3; ++i)
    context.output(i, element, swapped ? Shape{batch, directions, hidden} : Shape{directions, batch, hidden});
}

/// Extents of a recurrent layer.
struct Extents {
  std::size_t length, batch, input, hidden, directions;
};

Extents extents_of(const EvaluateContext& context) {
  const Tensor &x = context.tensor(0), &w = context.tensor(1), &r = context.tensor(2);
  if (x.rank() != 3 || w.rank() != 3 || r.rank() != 3) context.fail("input and weights must have three dims");
  const bool swapped = batch_first(context);
  const std::int64_t directions = directions_of(context), hidden = r.dim(2);
  const auto rows = static_cast<std::int64_t>(kind_of(context).gates) * hidden;
  if (w.dims() != Dims{directions, rows, x.dim(2)} || r.dims() != Dims{directions, rows, hidden})
    context.fail("weights {} and {} do not fit the input {}", text_of(w.shape()), text_of(r.shape()),
                 text_of(x.shape()));
  if (context.has_attribute("hidden_size") && context.integer("hidden_size") != hidden)
    context.fail("hidden_size is {}, the weights have {}", context.integer("hidden_size"), hidden);
  const auto size = [](std::int64_t n) { return static_cast<std::size_t>(n); };
  return {size(x.dim(swapped ? 1 : 0)), size(x.dim(swapped ? 0 : 1)), size(x.dim(2)), size(hidden), size(directions)};
}

/// An optional input with `count` numbers; zeros when omitted.
std::vector<double> optional_numbers(const EvaluateContext& context, std::size_t input, std::size_t count) {
  if (!context.has_input(input)) return std::vector<double>(count);
  const Numbers<double> numbers(context.tensor(input));
  if (numbers.size() != count) context.fail("input {} has {} elements, expected {}", input, numbers.size(), count);
  return {numbers.view().begin(), numbers.view().end()};
}

/// A recurrent layer being run. States are [directions, batch, hidden], Y is [length, directions, batch, hidden].
class RecurrentRun {
 public:
  explicit RecurrentRun(EvaluateContext& context)
      : context_(context), kind_(kind_of(context)), extents_(extents_of(context)), x_(context.tensor(0)) {
    const std::size_t rows = kind_.gates * extents_.hidden,
                      states = extents_.directions * extents_.batch * extents_.hidden;
    bias_ = optional_numbers(context, 3, extents_.directions * 2 * rows);
    hidden_ = with_direction_first(optional_numbers(context, 5, states));
    cell_ = with_direction_first(kind_.gates == 4 ? optional_numbers(context, 6, states) : std::vector<double>(states));
    if (kind_.gates == 4 && context.has_input(7))
      peepholes_ = optional_numbers(context, 7, extents_.directions * 3 * extents_.hidden);
    activations_ = read_activations(context, kind_.activations, extents_.directions);
    lengths_.assign(extents_.batch, static_cast<std::int64_t>(extents_.length));
    if (context.has_input(4)) lengths_ = context.tensor(4).integers();
    if (lengths_.size() != extents_.batch)
      context.fail("{} sequence lengths for a batch of {}", lengths_.size(), extents_.batch);
    for (const std::int64_t length : lengths_)
      if (length < 0 || length > static_cast<std::int64_t>(extents_.length))
        context.fail("a sequence length is {}", length);
    y_.resize(extents_.length * states);
  }

  void run() {
    for (std::size_t direction = 0; direction < extents_.directions; ++direction) run_direction(direction);
    output_all();
  }

 private:
  std::size_t state_at(std::size_t direction, std::size_t sample) const {
    return (direction * extents_.batch + sample) * extents_.hidden;
  }
  std::size_t input_row(std::size_t time, std::size_t sample) const {
    return batch_first(context_) ? sample * extents_.length + time : time * extents_.batch + sample;
  }

  /// States of the batch-first layout come as [batch, directions, hidden].
  std::vector<double> with_direction_first(std::vector<double> states) const {
    if (!batch_first(context_)) return states;
    std::vector<double> swapped(states.size());
    for (std::size_t sample = 0; sample < extents_.batch; ++sample)
      for (std::size_t direction = 0; direction < extents_.directions; ++direction)
        for (std::size_t i = 0; i < extents_.hidden; ++i)
          swapped[state_at(direction, sample) + i] =
              states[(sample * extents_.directions + direction) * extents_.hidden + i];
    return swapped;
  }

  /// Inputs of all steps times the input weights of one direction.
  std::vector<double> projected(std::size_t direction) const {
    const Numbers<double> x(x_), w(context_.tensor(1));
    const std::size_t rows = kind_.gates * extents_.hidden, steps = extents_.length * extents_.batch;
    const auto input = static_cast<std::int64_t>(extents_.input);
    std::vector<double> result(steps * rows);
    matrix_product<double>({static_cast<std::int64_t>(steps), input, static_cast<std::int64_t>(rows)},
                           {x.data(), input}, {w.data() + direction * rows * extents_.input, 1, input},
                           {result.data(), static_cast<std::int64_t>(rows)});
    return result;
  }

  CellParameters parameters(std::size_t direction, const Numbers<double>& recurrence) const {
    const std::size_t hidden = extents_.hidden, rows = kind_.gates * hidden;
    const std::span<const double> bias = std::span(bias_).subspan(direction * 2 * rows, 2 * rows);
    const std::size_t count = kind_.activations.size();
    CellParameters cell;
    cell.hidden = hidden;
    cell.recurrence = recurrence.view().subspan(direction * rows * hidden, rows * hidden);
    cell.input_bias = bias.first(rows);
    cell.state_bias = bias.last(rows);
    if (!peepholes_.empty()) cell.peepholes = std::span(peepholes_).subspan(direction * 3 * hidden, 3 * hidden);
    cell.activations = std::span(activations_).subspan(direction * count, count);
    cell.clip = context_.has_attribute("clip") ? context_.number("clip") : std::numeric_limits<double>::infinity();
    if (!(cell.clip >= 0)) context_.fail("clip cannot be {}", cell.clip);
    cell.reset_after_product =
        kind_.gates == 3 && context_.version() >= 3 && context_.integer("linear_before_reset") != 0;
    cell.coupled_forget = kind_.gates == 4 && context_.integer("input_forget") != 0;
    return cell;
  }

  void run_direction(std::size_t direction) {
    const Numbers<double> recurrence(context_.tensor(2));
    const CellParameters cell = parameters(direction, recurrence);
    const std::vector<double> inputs = projected(direction);
    const std::size_t rows = kind_.gates * extents_.hidden;
    const bool backwards = direction == 1 || context_.text("direction") == "reverse";
    for (std::size_t sample = 0; sample < extents_.batch; ++sample) {
      const auto length = static_cast<std::size_t>(lengths_[sample]);
      const std::size_t state = state_at(direction, sample);
      const CellState at = {std::span(hidden_).subspan(state, extents_.hidden),
                            std::span(cell_).subspan(state, extents_.hidden)};
      for (std::size_t step = 0; step < length; ++step) {
        const std::size_t time = backwards ? length - 1 - step : step;
        kind_.step(cell, std::span(inputs).subspan(input_row(time, sample) * rows, rows), at);
        const std::size_t states = extents_.directions * extents_.batch * extents_.hidden;
        std::copy(at.hidden.begin(), at.hidden.end(), y_.begin() + static_cast<std::ptrdiff_t>(time * states + state));
      }
    }
  }

  void output_all() {
    const auto size = [](std::size_t n) { return static_cast<std::int64_t>(n); };
    const std::int64_t length = size(extents_.length), batch = size(extents_.batch), hidden = size(extents_.hidden),
                       directions = size(extents_.directions);
    const bool swapped = batch_first(context_);
    const Dims all = swapped ? Dims{batch, length, directions, hidden} : Dims{length, directions, batch, hidden};
    const Dims last = swapped ? Dims{batch, directions, hidden} : Dims{directions, batch, hidden};
    if (context_.wants_output(0)) context_.output(0, tensor_of(x_.type(), all, swapped ? sequence_batch_first() : y_));
    if (context_.wants_output(1)) context_.output(1, tensor_of(x_.type(), last, with_batch_first(hidden_)));
    if (context_.wants_output(2)) context_.output(2, tensor_of(x_.type(), last, with_batch_first(cell_)));
  }

  std::vector<double> with_batch_first(const std::vector<double>& states) const {
    if (!batch_first(context_)) return states;
    std::vector<double> swapped;
    for (std::size_t sample = 0; sample < extents_.batch; ++sample)
      for (std::size_t direction = 0; direction < extents_.directions; ++direction)
        for (std::size_t i = 0; i < extents_.hidden; ++i) swapped.push_back(states[state_at(direction, sample) + i]);
    return swapped;
  }

  std::vector<double> sequence_batch_first() const {
    const std::size_t states = extents_.directions * extents_.batch * extents_.hidden;
    std::vector<double> swapped;
    for (std::size_t sample = 0; sample < extents_.batch; ++sample)
      for (std::size_t time = 0; time < extents_.length; ++time)
        for (std::size_t direction = 0; direction < extents_.directions; ++direction)
          for (std::size_t i = 0; i < extents_.hidden; ++i)
            swapped.push_back(y_[time * states + state_at(direction, sample) + i]);
    return swapped;
  }

  EvaluateContext& context_;
  const CellKind& kind_;
  Extents extents_;
  const Tensor& x_;
  std::vector<double> bias_, peepholes_, hidden_, cell_, y_;
  std::vector<GateActivation> activations_;
  std::vector<std::int64_t> lengths_;
};

void evaluate_recurrent(EvaluateContext& context) { RecurrentRun(context).run(); }

/// The two matrix products of every step, and about ten operations for each element of the state.
double recurrent_flops(const CostContext& context) {
  const double steps = context.input_dim(0, 0) * context.input_dim(0, 1);
  return steps * (2 * (context.input_elements(1) + context.input_elements(2)) +
                  10 * context.input_dim(1, 0) * context.input_dim(2, 2));
}

/// Attributes of all recurrent layers, and those of one of them.
std::vector<AttributeSpec> recurrent_attributes(std::initializer_list<AttributeSpec> own) {
  std::vector<AttributeSpec> specs = {numbers("activation_alpha"),    numbers("activation_beta"),
                                      texts("activations"),           number("clip"),
                                      text("direction", "forward"),   integer("hidden_size"),
                                      integer("layout", 0).since(14), integer("output_sequence", 0).until(7)};
  specs.insert(specs.end(), own);
  return specs;
}

// clang-format off
const OpFamily recurrent_family({
    {.name = "RNN", .versions = {1, 7, 14, 22}, .inputs = {3, 6}, .outputs = {0, 2},
                    .attributes = recurrent_attributes({}),
     .kind = OpKind::contraction, .infer = infer_recurrent, .evaluate = evaluate_recurrent, .flops = recurrent_flops},
    {.name = "GRU", .versions = {1, 3, 7, 14, 22}, .inputs = {3, 6}, .outputs = {0, 2},
     .attributes = recurrent_attributes({integer("linear_before_reset", 0).since(3)}),
     .kind = OpKind::contraction, .infer = infer_recurrent, .evaluate = evaluate_recurrent, .flops = recurrent_flops},
    {.name = "LSTM", .versions = {1, 7, 14, 22}, .inputs = {3, 8}, .outputs = {0, 3},
     .attributes = recurrent_attributes({integer("input_forget", 0)}),
     .kind = OpKind::contraction, .infer = infer_recurrent, .evaluate = evaluate_recurrent, .flops = recurrent_flops},
});
// clang-format on

}  // namespace
}  // namespace hone

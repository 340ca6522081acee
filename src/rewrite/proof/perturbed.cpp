#include "rewrite/proof/perturbed.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/random.h"
#include "graph/ir/order.h"
#include "graph/ops/evaluate.h"
#include "graph/ops/op.h"
#include "rewrite/proof/same_results.h"
#include "run/reference/reference.h"

namespace hone {
namespace {

double unit(ElementType type) {
  switch (type) {
    case ElementType::float64: return 0x1.0p-52;
    case ElementType::float32: return 0x1.0p-23;
    default: return 0x1.0p-10;
  }
}

/// Numbers that attributes hold are floats whatever the tensors are.
double relative_error(ElementType type) { return std::max(unit(type), 0x1.0p-24); }

/// Runs a model once with errors drawn from `rng`.
class PerturbedRun {
 public:
  PerturbedRun(const Model& model, Rng& rng) : model_(model), rng_(rng), values_(model.graph.value_count()) {}

  std::vector<Datum> run(std::span<const Datum> inputs) {
    const Graph& graph = model_.graph;
    for (std::size_t i = 0; i < inputs.size(); ++i) values_[graph.inputs()[i].index()] = inputs[i];
    for (const ValueId id : graph.initializers())
      if (values_[id.index()].empty()) values_[id.index()] = *graph.value(id).constant;
    for (const NodeId id : topological_order(graph)) run_node(id);
    std::vector<Datum> outputs;
    for (const ValueId id : graph.outputs()) outputs.push_back(values_[id.index()]);
    return outputs;
  }

 private:
  void run_node(NodeId id) {
    const Node& node = model_.graph.node(id);
    std::vector<Datum> inputs;
    for (const ValueId input : node.inputs) inputs.push_back(input.valid() ? values_[input.index()] : Datum());
    std::vector<Datum> outputs = evaluate(model_.graph, id, model_.opsets, inputs);
    const OpKind kind = definition_of(node, model_.opsets).entry->kind;
    const bool computes = kind != OpKind::movement && kind != OpKind::view;
    for (std::size_t i = 0; i < node.outputs.size() && i < outputs.size(); ++i)
      if (node.outputs[i].valid())
        values_[node.outputs[i].index()] = computes ? perturbed(outputs[i], inputs) : outputs[i];
  }

  /// Every element is off by some units of its own last place and of the largest number it may be a sum of.
  Datum perturbed(const Datum& datum, std::span<const Datum> inputs) {
    if (!datum.is_tensor() || !is_floating(datum.tensor().type())) return datum;
    const Tensor& exact = datum.tensor();
    double scale = largest_number(exact);
    for (const Datum& input : inputs)
      if (input.is_tensor() && is_floating(input.tensor().type()))
        scale = std::max(scale, largest_number(input.tensor()));
    constexpr double kUnits = 16;
    Tensor tensor = Tensor::zeros(exact.type(), exact.dims());
    for (std::size_t i = 0; i < exact.count(); ++i) {
      const double number = exact.number_at(i);
      const double most = relative_error(exact.type()) * std::abs(number) + kUnits * unit(exact.type()) * scale;
      tensor.set_number(i, std::isfinite(number) ? number + rng_.uniform(-most, most) : number);
    }
    return tensor;
  }

  const Model& model_;
  Rng& rng_;
  std::vector<Datum> values_;
};

/// What one element of a result was in some runs.
struct Spread {
  double least = 0, most = 0;
  bool special = false;  // infinite or no number in all runs
  bool mixed = false;    // in some of them

  explicit Spread(double number) : least(number), most(number), special(!std::isfinite(number)) {}

  void add(double number) {
    const bool same = number == least || (std::isnan(number) && std::isnan(least));
    mixed = mixed || (special ? !same : !std::isfinite(number));
    least = std::min(least, number);
    most = std::max(most, number);
  }

  bool holds(double number, double slack) const {
    if (mixed) return true;
    if (special) return number == least || (std::isnan(number) && std::isnan(least));
    return number >= least - slack && number <= most + slack;
  }
};

/// Those of all elements of a tensor.
using Spreads = std::vector<Spread>;

Spreads spreads_of(const Tensor& tensor) {
  Spreads spreads;
  for (std::size_t i = 0; i < tensor.count(); ++i) spreads.emplace_back(tensor.number_at(i));
  return spreads;
}

std::optional<std::string> element_beyond(const Tensor& result, const Tensor& expected, const Spreads& spreads) {
  if (result.type() != expected.type() || !(result.dims() == expected.dims())) return "is of another type";
  const Tolerance tolerance = rounding_tolerance(expected);
  for (std::size_t i = 0; i < result.count(); ++i) {
    const double slack = tolerance.absolute + tolerance.relative * std::abs(expected.number_at(i));
    if (!spreads[i].holds(result.number_at(i), slack))
      return fmt::format("element {} is {:.9g}, expected {:.9g} to {:.9g}", i, result.number_at(i), spreads[i].least,
                         spreads[i].most);
  }
  return std::nullopt;
}

/// What the outputs of the model can be; nullopt when rounding decides whether it runs at all.
std::optional<std::vector<Spreads>> perturbed_outputs(const Model& model, std::span<const Datum> inputs,
                                                      std::span<const Datum> exact) {
  constexpr std::size_t kRuns = 64;  // at a jump an error goes either way: all miss one side once in 2^63
  std::vector<Spreads> spreads;
  for (const Datum& datum : exact) spreads.push_back(spreads_of(datum.tensor()));
  Rng rng(1);
  try {
    for (std::size_t run = 0; run < kRuns; ++run) {
      const std::vector<Datum> outputs = PerturbedRun(model, rng).run(inputs);
      for (std::size_t i = 0; i < outputs.size(); ++i)
        for (std::size_t k = 0; k < spreads[i].size(); ++k) spreads[i][k].add(outputs[i].tensor().number_at(k));
    }
  } catch (const InputError&) {
    return std::nullopt;
  }
  return spreads;
}

}  // namespace

std::optional<std::string> unexplained_by_rounding(const Model& before, const Model& after,
                                                   std::span<const Datum> inputs) {
  const std::vector<Datum> expected = ReferenceInterpreter(before).run(inputs);
  const std::optional<std::vector<Spreads>> spreads = perturbed_outputs(before, inputs, expected);
  if (!spreads) return std::nullopt;
  std::vector<Datum> results;
  try {
    results = ReferenceInterpreter(after).run(inputs);
  } catch (const InputError& error) {
    return error.what();
  }
  for (std::size_t i = 0; i < results.size(); ++i)
    if (const auto beyond = element_beyond(results[i].tensor(), expected[i].tensor(), (*spreads)[i]))
      return fmt::format("output {}: {}", i, *beyond);
  return std::nullopt;
}

}  // namespace hone

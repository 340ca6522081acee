#include "run/verify/equivalence.h"

#include <algorithm>

#include "base/error.h"
#include "run/reference/reference.h"
#include "run/verify/inputs.h"
#include "run/verify/memory_need.h"

namespace hone {
namespace {

std::vector<std::string> names(const Graph& graph, std::span<const ValueId> ids) {
  std::vector<std::string> all;
  for (const ValueId id : ids) all.push_back(graph.value(id).name);
  return all;
}

std::optional<std::size_t> position(const std::vector<std::string>& list, const std::string& name) {
  const auto it = std::ranges::find(list, name);
  return it == list.end() ? std::nullopt : std::optional(static_cast<std::size_t>(it - list.begin()));
}

/// A sentence when the second model cannot stand in for the first.
std::string signature_conflict(const Model& a, const Model& b) {
  const auto a_inputs = names(a.graph, a.graph.inputs()), b_inputs = names(b.graph, b.graph.inputs());
  for (std::size_t i = 0; i < b_inputs.size(); ++i) {
    const bool optional = b.graph.value(b.graph.inputs()[i]).constant.has_value();
    if (!optional && !position(a_inputs, b_inputs[i]))
      return fmt::format("input '{}' is not in the first model", b_inputs[i]);
  }
  const auto b_outputs = names(b.graph, b.graph.outputs());
  for (const std::string& name : names(a.graph, a.graph.outputs()))
    if (!position(b_outputs, name)) return fmt::format("output '{}' is missing in the second model", name);
  return {};
}

/// Inputs of the first model, in the order of the second's.
std::vector<Datum> rearranged(const Model& from, const Model& to, const std::vector<Datum>& inputs) {
  const auto from_names = names(from.graph, from.graph.inputs());
  std::vector<Datum> result;
  for (const std::string& name : names(to.graph, to.graph.inputs())) {
    const auto at = position(from_names, name);
    result.push_back(at ? inputs[*at] : Datum());
  }
  return result;
}

void keep_worst(Difference& worst, const Difference& found) {
  if (worst.within && !found.within) worst.reason = found.reason;
  worst.within = worst.within && found.within;
  worst.max_absolute = std::max(worst.max_absolute, found.max_absolute);
  worst.max_relative = std::max(worst.max_relative, found.max_relative);
  worst.cosine = std::min(worst.cosine, found.cosine);
}

}  // namespace

Equivalence check_equivalence(const RunnableModel& reference, const RunnableModel& candidate,
                              const EquivalenceOptions& options) {
  Equivalence result;
  result.reason = signature_conflict(reference.model, candidate.model);
  if (!result.reason.empty()) {
    result.equal = false;
    return result;
  }
  const Graph &first = reference.model.graph, &second = candidate.model.graph;
  const auto output_names = names(first, first.outputs()), candidate_names = names(second, second.outputs());
  for (const std::string& name : output_names) result.outputs.push_back({.name = name, .difference = {}});
  const std::size_t rounds = options.files.empty() ? options.random_inputs : 1;
  for (std::size_t round = 0; round < rounds; ++round) {
    const std::vector<Datum> inputs = given_inputs(reference.model, options.files, options.seed + round);
    const std::vector<Datum> expected = reference.run(inputs);
    const std::vector<Datum> found = candidate.run(rearranged(reference.model, candidate.model, inputs));
    for (std::size_t i = 0; i < expected.size(); ++i)
      keep_worst(result.outputs[i].difference,
                 compare(found[*position(candidate_names, output_names[i])], expected[i], options.tolerance));
    ++result.inputs_tried;
  }
  for (const OutputComparison& output : result.outputs) {
    if (output.difference.within || !result.equal) continue;
    result.equal = false;
    result.reason = fmt::format("output '{}' {}", output.name, output.difference.reason);
  }
  return result;
}

Equivalence check_equivalence(const Model& reference, const Model& candidate, const EquivalenceOptions& options) {
  require_memory(reference);
  const auto interpreted = [&](const Model& model) {
    return RunnableModel{model, [&model, &options](std::span<const Datum> inputs) {
                           return ReferenceInterpreter(model, options.seed).run(inputs);
                         }};
  };
  return check_equivalence(interpreted(reference), interpreted(candidate), options);
}

}  // namespace hone

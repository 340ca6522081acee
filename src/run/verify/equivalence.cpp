#include "run/verify/equivalence.h"

#include <algorithm>

#include "base/error.h"
#include "run/verify/inputs.h"
#include "run/verify/judgement.h"
#include "run/verify/memory_need.h"
#include "run/verify/original_runs.h"

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

void keep_worst(OutputComparison& worst, const Judgement& found) {
  Difference& difference = worst.difference;
  if (difference.within && !found.difference.within) difference.reason = found.difference.reason;
  difference.within = difference.within && found.difference.within;
  difference.max_absolute = std::max(difference.max_absolute, found.difference.max_absolute);
  difference.max_relative = std::max(difference.max_relative, found.difference.max_relative);
  difference.cosine = std::min(difference.cosine, found.difference.cosine);
  if (!found.errors) return;
  const ErrorPair before = worst.errors.value_or(ErrorPair{});
  worst.errors = {.candidate = std::max(before.candidate, found.errors->candidate),
                  .reference = std::max(before.reference, found.errors->reference)};
}

bool have_same_bits(const Datum& a, const Datum& b) {
  return a.is_tensor() && b.is_tensor() && a.tensor() == b.tensor();
}

/// The first output that differs decides.
void conclude(Equivalence& result) {
  for (const OutputComparison& output : result.outputs) {
    if (output.difference.within || !result.equal) continue;
    result.equal = false;
    result.reason = fmt::format("output '{}' {}", output.name, output.difference.reason);
  }
}

/// One comparison of two models.
struct Round {
  const RunnableModel& reference;
  const RunnableModel& candidate;
  const Movement* movement = nullptr;
  std::optional<Tolerance> tolerance;
};

/// The first model's outputs by name, in the order of its own.
std::vector<Datum> rearranged_outputs(const Round& round, const std::vector<Datum>& found) {
  const auto wanted = names(round.reference.model.graph, round.reference.model.graph.outputs());
  const auto given = names(round.candidate.model.graph, round.candidate.model.graph.outputs());
  std::vector<Datum> outputs;
  for (const std::string& name : wanted) outputs.push_back(found[*position(given, name)]);
  return outputs;
}

/// Runs both models on the inputs of the first and judges each output of it. The second runs in double precision only
/// where that can still change the verdict.
std::vector<Judgement> judged(const Round& round, const std::vector<Datum>& inputs) {
  const std::vector<Datum> own_inputs = rearranged(round.reference.model, round.candidate.model, inputs);
  const std::vector<Datum> expected = round.reference.run(inputs);
  const std::vector<Datum> found = rearranged_outputs(round, round.candidate.run(own_inputs));
  const auto judge_all = [&](const std::vector<Datum>& exact) {
    std::vector<Judgement> judgements;
    for (std::size_t i = 0; i < expected.size(); ++i)
      judgements.push_back(judge({.output = i,
                                  .expected = expected[i],
                                  .found = found[i],
                                  .found_exactly = exact[i],
                                  .movement = round.movement,
                                  .tolerance = round.tolerance}));
    return judgements;
  };
  std::vector<Judgement> judgements = judge_all(std::vector<Datum>(expected.size()));
  const bool settled = round.movement == nullptr || !round.candidate.run_exactly ||
                       std::ranges::equal(expected, found, have_same_bits) ||
                       !std::ranges::all_of(judgements, [](const Judgement& each) { return each.difference.within; });
  return settled ? judgements : judge_all(rearranged_outputs(round, round.candidate.run_exactly(own_inputs)));
}

}  // namespace

Equivalence check_equivalence(const RunnableModel& reference, const RunnableModel& candidate,
                              const EquivalenceOptions& options, std::span<const Movement> movements) {
  Equivalence result;
  result.reason = signature_conflict(reference.model, candidate.model);
  if (!result.reason.empty()) {
    result.equal = false;
    return result;
  }
  for (const std::string& name : names(reference.model.graph, reference.model.graph.outputs()))
    result.outputs.push_back({.name = name, .difference = {}});
  const std::size_t rounds = options.files.empty() ? options.random_inputs : 1;
  for (std::size_t round = 0; round < rounds; ++round) {
    const std::vector<Datum> inputs = given_inputs(reference.model, options.files, options.seed + round);
    const Round one{.reference = reference,
                    .candidate = candidate,
                    .movement = round < movements.size() ? &movements[round] : nullptr,
                    .tolerance = options.tolerance};
    const std::vector<Judgement> judgements = judged(one, inputs);
    for (std::size_t i = 0; i < judgements.size(); ++i) keep_worst(result.outputs[i], judgements[i]);
    ++result.inputs_tried;
  }
  conclude(result);
  return result;
}

Equivalence check_equivalence(const Model& reference, const Model& candidate, const EquivalenceOptions& options) {
  require_memory(reference);
  return OriginalRuns(reference, options).compare(candidate);
}

std::string tolerance_text(const Equivalence& result) {
  if (!result.fixed_because.empty()) return fmt::format("fixed tolerance, as {}", result.fixed_because);
  std::optional<ErrorPair> worst;
  for (const OutputComparison& output : result.outputs)
    if (output.errors && (!worst || output.errors->candidate > worst->candidate)) worst = output.errors;
  if (!worst) return {};
  return fmt::format("largest error {:.2g}, the original's own is {:.2g}", worst->candidate, worst->reference);
}

std::string tried_text(const Equivalence& result) {
  return fmt::format("equal on {} input{}", result.inputs_tried, result.inputs_tried == 1 ? "" : "s");
}

}  // namespace hone

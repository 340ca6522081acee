#include "learn/advantage/advantage_policy.h"

#include <algorithm>

#include "base/error.h"
#include "learn/network/layers.h"
#include "learn/policy/unlearned_policy.h"

namespace hone {
namespace {

NetworkSpec operations_network(const NetworkShape& shape) {
  NetworkSpec spec = encoder_network("operations.", shape, kOperationColumns, shape.width);
  spec.layers.pop_back();  // what it says of operations is read by the judge
  return spec;
}

NetworkSpec judge_network(const NetworkShape& shape) {
  NetworkSpec spec{.prefix = "judge.", .layers = {}, .free = {}};
  spec.layers.push_back({.name = "embed",
                         .kind = &dense_layer,
                         .inputs = 2 * shape.width + kCandidateColumns,
                         .outputs = shape.width,
                         .activation = Activation::relu});
  spec.free.push_back({.name = "final", .shape = {kAdvantageOutputs, basis_size(shape.width)}, .deviation = 0.05});
  return spec;
}

/// What begins as the model of kernels sees it, so that a network learns what that misses.
class AdvantagePolicy final : public PolicyKind {
 public:
  AdvantagePolicy()
      : PolicyKind("advantage", "what every single decision is worth", kAdvantageSchema,
                   {{kOperationsNetwork, operations_network}, {kJudgeNetwork, judge_network}}) {}

  void set_first_rule(Safetensors& contents, const Objective&) const override {
    NamedArray& final = contents.arrays.at("judge.final");
    const std::size_t width = final.shape[1] - kCandidateColumns - 1;
    std::ranges::fill(final.values, 0.0F);
    final.values[width + kEstimateColumn] = 1;
    final.values[final.shape[1] + width + kMagnitudeColumn] = 1;
  }
};

const AdvantagePolicy the_advantage_policy;

}  // namespace

const PolicyKind& advantage_policy() { return the_advantage_policy; }

std::vector<float> judged_rows(const AdvantageView& view, std::span<const float> operations, std::size_t width) {
  std::vector<float> rows;
  rows.reserve(view.candidates.size() * (2 * width + kCandidateColumns));
  const auto add = [&](std::span<const float> part) { rows.insert(rows.end(), part.begin(), part.end()); };
  for (std::size_t i = 0; i < view.candidates.size(); ++i) {
    add(operations.subspan(view.own[i] * width, width));
    add(operations.subspan(view.reader[i] * width, width));
    add(std::span(view.candidate_rows).subspan(i * kCandidateColumns, kCandidateColumns));
  }
  return rows;
}

CandidateInput::CandidateInput(std::span<const float> rows, std::size_t count) : rows_(rows), count_(count) {
  for (std::size_t i = 0; i < count; ++i) none_.end_list();
}

std::string usual_advantage_policy(const Task& task) {
  const std::string wanted = task.decides_groups() ? "advantage-fusion" : "advantage-placement";
  for (const BuiltinPolicy& policy : builtin_policies())
    if (policy.name == wanted) return wanted;
  return "zero-step";
}

Policy advantage_policy_named(const std::string& name, const Objective& objective) {
  Policy policy = is_unlearned(name) ? Policy(unlearned_policy(name, {&the_advantage_policy, {}}, objective), name)
                                     : Policy::load(name);
  if (&policy.kind() != &the_advantage_policy)
    fail_usage("{}: a policy of kind '{}' does not say what decisions are worth", name, policy.kind().name());
  return policy;
}

}  // namespace hone

#pragma once

#include <string>

#include "learn/advantage/advantage_features.h"
#include "learn/policy/policy.h"

namespace hone {

/// Policies that say what single decisions are worth ("Learning local advantage functions for generalizable graph
/// optimizations", 2021). The network `operations` is GraphSAGE over the operations around a decision, `judge` makes of
/// what it says of the two ends of a decision, and of the columns of the candidate, a *basis*; predictions are products
/// with that, one a row of `final`: the advantage (less is better) and its magnitude, as signed logarithms in units of
/// the median advantage of the graph.
const PolicyKind& advantage_policy();
inline constexpr std::string_view kOperationsNetwork = "operations", kJudgeNetwork = "judge";

enum class AdvantageOutput : std::uint8_t { advantage, magnitude };
inline constexpr std::size_t kAdvantageOutputs = 2;

/// How many numbers a basis has: those of the hidden layer, the columns of the candidate, and a one.
inline std::size_t basis_size(std::size_t width) { return width + kCandidateColumns + 1; }

/// What `judge` reads of a candidate: the rows of its operations and its own columns.
std::vector<float> judged_rows(const AdvantageView& view, std::span<const float> operations, std::size_t width);

/// Candidates by themselves are a graph without edges.
class CandidateInput {
 public:
  CandidateInput(std::span<const float> rows, std::size_t count);
  GraphInput input() const { return {.nodes = count_, .rows = rows_, .edges = {&none_, &none_}}; }

 private:
  std::span<const float> rows_;
  std::size_t count_;
  FlatLists<std::uint32_t> none_;
};

/// The policy that a search uses: a file or one that is built in, or one that has learned nothing (`untrained`,
/// `zero-step`, which says what the model of kernels sees). Throws InputError for a policy of another kind.
Policy advantage_policy_named(const std::string& name, const Objective& objective);

/// The built-in policy for what a task decides; `zero-step` where there is none.
std::string usual_advantage_policy(const Task& task);

}  // namespace hone

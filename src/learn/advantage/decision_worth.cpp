#include "learn/advantage/decision_worth.h"

#include <algorithm>
#include <map>

#include "learn/advantage/candidate_table.h"
#include "plan/solve/solve.h"

namespace hone {
namespace {

constexpr std::size_t kLookedAt = 40;  // for each that is asked for

/// Candidates that undo a decision: of what is fused, apart.
bool undoes(const DecisionUnits& units, std::span<const float> row, const DecisionChange& candidate) {
  return units.at(candidate.unit).field != PlanField::group || units.option(row, candidate.unit) == 0 ||
         candidate.option == 0;
}

class WorthFinder {
 public:
  WorthFinder(const Problem& problem, const Plan& plan)
      : problem_(problem),
        task_(make_task(problem, plan.group_of.empty() ? "place" : "fuse-edges", plan)),
        units_(problem, *task_),
        row_(task_->encode(plan)),
        plan_(plan),
        evaluator_(evaluator_for(problem)) {}

  ValuedDecisions run(std::size_t count) {
    const double now = value_of(row_);
    std::map<OperationId, DecisionWorth> best;
    for (const DecisionChange& candidate : promising(count * kLookedAt)) {
      Decisions other = row_;
      units_.set(other, candidate.unit, candidate.option);
      const DecisionUnits::Unit& unit = units_.at(candidate.unit);
      const std::uint32_t option = units_.option(row_, candidate.unit);
      add(best, {.field = unit.field,
                 .operation = unit.operation,
                 .reader = unit.reader,
                 .option = option,
                 .other = candidate.option,
                 .meaning = fusion_meaning(option, unit.options),
                 .other_meaning = fusion_meaning(candidate.option, unit.options),
                 .worth = value_of(other) - now});
    }
    std::vector<DecisionWorth> found;
    for (const auto& [operation, worth] : best)
      if (worth.worth > 0) found.push_back(worth);
    std::ranges::stable_sort(found, std::ranges::greater(), &DecisionWorth::worth);
    found.resize(std::min(found.size(), count));
    return {now, std::move(found)};
  }

 private:
  double value_of(std::span<const float> row) {
    task_->apply(row, plan_);
    return score(problem_.objective, evaluator_->evaluate(plan_)).value;
  }

  /// Those that would cost most by the policy.
  std::vector<DecisionChange> promising(std::size_t most) {
    const Policy policy = advantage_policy_named(usual_advantage_policy(*task_), problem_.objective);
    AdvantageModel model(policy);
    AdvantageFeatures features(problem_, *task_, units_, plan_);
    CandidateTable table(units_, model, features);
    table.set(row_);
    std::vector<std::uint32_t> entries;
    for (std::uint32_t entry = 0; entry < table.size(); ++entry)
      if (table.is_open(entry) && undoes(units_, row_, table.at(entry))) entries.push_back(entry);
    std::ranges::stable_sort(entries, std::ranges::greater(),
                             [&](std::uint32_t each) { return table.advantage(each); });
    std::vector<DecisionChange> found;
    for (const std::uint32_t entry : std::span(entries).first(std::min(most, entries.size())))
      found.push_back(table.at(entry));
    return found;
  }

  /// The most an operation's decisions are worth; of one decision against several others, the least.
  static void add(std::map<OperationId, DecisionWorth>& best, const DecisionWorth& worth) {
    const auto [place, is_new] = best.emplace(worth.operation, worth);
    if (is_new) return;
    const bool is_same = place->second.reader == worth.reader;
    if (is_same ? worth.worth < place->second.worth : worth.worth > place->second.worth) place->second = worth;
  }

  const Problem& problem_;
  std::unique_ptr<Task> task_;
  DecisionUnits units_;
  Decisions row_;
  Plan plan_;
  std::unique_ptr<Evaluator> evaluator_;
};

}  // namespace

ValuedDecisions most_valuable_decisions(const Problem& problem, const Plan& plan, std::size_t count) {
  return WorthFinder(problem, plan).run(count);
}

}  // namespace hone

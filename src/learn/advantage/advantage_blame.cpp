// Advantages as what other searches aim by: operations about which something can be changed for the better are to
// blame.

#include <algorithm>

#include "learn/advantage/candidate_table.h"
#include "plan/search/blame_source.h"

namespace hone {
namespace {

constexpr double kShareOfMagnitude = 0.05;  // of what matters, whether or not a change is predicted to help

class AdvantageBlame final : public BlameSource {
 public:
  explicit AdvantageBlame(const Search& search)
      : operations_(search.problem().workload.operation_count()),
        units_(search.problem(), search.task()),
        policy_(advantage_policy_named(usual_advantage_policy(search.task()), search.problem().objective)),
        model_(policy_),
        features_(search.problem(), search.task(), units_, search.start()),
        table_(units_, model_, features_) {}

  std::vector<Blame> blame(std::span<const float> row) override {
    follow(row);
    std::vector<double> shares(operations_);
    for (std::size_t entry = 0; entry < table_.size(); ++entry) {
      if (!table_.is_open(entry)) continue;
      const DecisionUnits::Unit& unit = units_.at(table_.at(entry).unit);
      if (!unit.operation.valid()) continue;
      shares[unit.operation.index()] +=
          std::max(0.0, -table_.advantage(entry)) + kShareOfMagnitude * std::max(0.0, table_.magnitude(entry));
    }
    std::vector<Blame> blames;
    for (std::size_t i = 0; i < shares.size(); ++i)
      if (shares[i] > 0) blames.push_back({OperationId(i), shares[i]});
    return blames;
  }

 private:
  /// What is far from all that changed since the last time is as it was.
  void follow(std::span<const float> row) {
    std::vector<std::uint32_t> changed;
    if (last_.empty()) {
      table_.set(row);
    } else {
      for (std::uint32_t unit = 0; unit < units_.single_count(); ++unit)
        if (units_.option(row, unit) != units_.option(last_, unit)) changed.push_back(unit);
      if (changed.size() * 8 > units_.size()) table_.set(row);
      else if (!changed.empty()) table_.move(row, changed);
    }
    last_.assign(row.begin(), row.end());
  }

  std::size_t operations_;
  DecisionUnits units_;
  Policy policy_;
  AdvantageModel model_;
  AdvantageFeatures features_;
  CandidateTable table_;
  Decisions last_;
};

const BlameSourceKind advantage_blame_kind =
    BlameSourceKind::without_parameters<AdvantageBlame>("advantage", "what a policy says that decisions are worth");

}  // namespace
}  // namespace hone

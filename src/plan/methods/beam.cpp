// Beam search over stages of the graph in topological order: some variants of every plan that is kept differ from it
// at the next stage, and are completed by what was decided before for the stages after it (by a rule that ran before,
// as in `critical-path+beam`, or by the pass before).

#include <algorithm>

#include "plan/methods/staged_search.h"

namespace hone {
namespace {

/// What can be chosen about beam search.
struct BeamParameters {
  std::int64_t width = 2;
  std::int64_t branches = 4;
  std::int64_t stages = 24;

  Parameters list() {
    return Parameters()
        .add("width", &width, {1, 1e5}, "plans kept from stage to stage")
        .add("branches", &branches, {1, 1e5}, "variants tried of each at a stage")
        .add("stages", &stages, {1, 1e6}, "parts the graph is cut into, in topological order");
  }
};

/// Plans that come near the same peak more or less often cost the same all the same.
bool cost_the_same(Cost one, const Cost& other) {
  one.smooth_peak_bytes = other.smooth_peak_bytes;
  return one == other;
}

class BeamSearch final : public StagedSearch {
 public:
  explicit BeamSearch(const BeamParameters& parameters) : parameters_(parameters) {}

  Parameters parameters() override { return parameters_.list(); }

 protected:
  void run_stages(Search& search, Neighborhood& neighborhood) override {
    Decisions start = search.task().encode(search.best_plan());
    const std::span<const Cost> costs = search.evaluate(start);
    if (costs.empty()) return;
    beam_ = {{.cost = costs.front(), .score = search.score(costs.front()), .row = std::move(start)}};
    while (!search.spent()) {
      const Stages stages = cut(search, parameters_.stages);
      for (std::size_t stage = 0; stage < stages.count(); ++stage) {
        neighborhood.aim(stages.operations(stage), 1);
        if (!advance(search, neighborhood)) return;
      }
    }
  }

 private:
  struct Member {
    Cost cost;
    Score score;
    Decisions row;
  };

  /// Branches every member and keeps the best of all; false when the budget is spent.
  bool advance(Search& search, Neighborhood& neighborhood) {
    const std::size_t sites = beam_.front().row.size();
    const auto branches = static_cast<std::size_t>(parameters_.branches);
    rows_.resize(beam_.size() * branches * sites);
    changes_.clear();
    for (std::size_t i = 0; i < beam_.size() * branches; ++i) {
      const std::span<float> row = std::span(rows_).subspan(i * sites, sites);
      std::ranges::copy(beam_[i / branches].row, row.begin());
      changes_.push_back(neighborhood.change_some(row, rng_));
    }
    const std::span<const Cost> costs = search.evaluate(rows_);
    std::vector<Member> candidates;
    for (std::size_t i = 0; i < costs.size(); ++i) {
      const Score score = search.score(costs[i]);
      neighborhood.learn(changes_[i], score < beam_[i / branches].score);
      const auto row = std::span(rows_).subspan(i * sites, sites);
      candidates.push_back({.cost = costs[i], .score = score, .row = Decisions(row.begin(), row.end())});
    }
    keep_best(std::move(candidates));
    return costs.size() == changes_.size();
  }

  /// Of plans that cost the same the newest stays, so that the beam neither stands still nor fills with copies.
  void keep_best(std::vector<Member> candidates) {
    std::ranges::move(beam_, std::back_inserter(candidates));
    std::ranges::stable_sort(candidates, {}, &Member::score);
    beam_.clear();
    for (Member& candidate : candidates) {
      const auto is_same = [&](const Member& kept) { return cost_the_same(kept.cost, candidate.cost); };
      if (std::ranges::none_of(beam_, is_same)) beam_.push_back(std::move(candidate));
      if (beam_.size() == static_cast<std::size_t>(parameters_.width)) return;
    }
  }

  BeamParameters parameters_;
  std::vector<Member> beam_;  // best first
  Decisions rows_;
  std::vector<Neighborhood::Change> changes_;
};

const OptimizerKind beam_kind =
    OptimizerKind::with_parameters<BeamSearch, BeamParameters>("beam", "beam search, part by part of the graph");

}  // namespace
}  // namespace hone

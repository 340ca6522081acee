// Kernels, devices and order together. What kernels are worth shows when their schedule is made: several ways to make
// them race, each judged by list schedules of its kernels, and the best is changed in turns: devices and order of its
// kernels by list schedules, kernels by small changes where the plan is as long as it is, and kernels anew, of what a
// schedule has put on one device.

#include <fmt/format.h>
#include <algorithm>
#include <limits>
#include <cmath>
#include <set>

#include "plan/methods/aimed_neighbors.h"
#include "plan/methods/fusion_rules.h"
#include "plan/methods/kernel_search.h"

namespace hone {
namespace {

struct JointParameters {
  double race = 0.4;
  double turn = 0.05;
  double cross = 1;
  double refuse = 1;
  double near = 0.005;
  std::int64_t passes = 12;
  Aim aim;

  Parameters list() {
    Parameters list;
    list.add("race", &race, {0, 1}, "share of the budget in which ways to make kernels are compared")
        .add("turn", &turn, {0.001, 1}, "share of the budget of a turn")
        .add("cross", &cross, {0, 1}, "share of turns about kernels in which they are taken from other candidates")
        .add("refuse", &refuse, {0, 1}, "re")
        .add("near", &near, {0, 1}, "re")
        .add("passes", &passes, {1, 1000}, "re");
    aim.add_to(list);
    return list;
  }
};

/// One run of the search.
class JointRun {
 public:
  JointRun(Search& search, const JointParameters& parameters)
      : search_(search), parameters_(parameters), kernels_(search, parameters.aim, PlanField::group), rng_(search.rng()) {}

  void run() {
    const std::vector<Site>& sites = search_.task().sites();
    const auto decides = [&](PlanField field) { return std::ranges::find(sites, field, &Site::field) != sites.end(); };
    if (!decides(PlanField::device) || search_.problem().workload.operation_count() == 0) return;
    add_candidate(search_.best_plan());
    if (search_.task().decides_groups())
      for (const FusionRule rule : {FusionRule::priority, FusionRule::merging, FusionRule::all, FusionRule::topological,
                                    FusionRule::none})
        add_candidate(fused_by(rule, search_.problem(), search_.best_plan()));
    race();
    take_turns();
  }

 private:
  /// Kernels and the best that is known of their devices and order.
  struct Candidate {
    std::unique_ptr<KernelSearch> kernels;
  };

  void add_candidate(const Plan& plan) { add_candidate(search_.task().encode(plan)); }
  void add_candidate(Decisions row) {
    candidates_.push_back({std::make_unique<KernelSearch>(search_, std::move(row))});
  }

  std::uint64_t evaluations_of(double share) const {
    if (search_.share_spent() >= 1) return 0;
    const double all = static_cast<double>(search_.evaluations()) / std::max(search_.share_spent(), 1e-12);
    return static_cast<std::uint64_t>(std::clamp(share * all, 20.0, 1e6));
  }

  void schedule(Candidate& candidate, std::uint64_t evaluations, int tries) {
    const auto optimizer = OptimizerKind::make_by(tries ? "list-search" : "list-search:tries=0");
    candidate.kernels->run(*optimizer, evaluations, rng_.next());
  }

  /// Ever fewer candidates get ever more of the budget.
  void race() {
    for (int tries = 1; candidates_.size() > 1 || tries == 1; tries = 0) {
      const double rounds = 3;
      const std::uint64_t each =
          evaluations_of(parameters_.race / rounds) / candidates_.size();
      for (Candidate& candidate : candidates_) schedule(candidate, std::max<std::uint64_t>(each, 16), tries);
      std::ranges::stable_sort(candidates_, {}, [](const Candidate& c) { return c.kernels->best(); });
      for (const Candidate& c : candidates_) pool_.push_back(c.kernels->best_row());
      candidates_.resize((candidates_.size() + 1) / 2);
      report("race");
      if (tries == 1 && search_.task().decides_groups() && parameters_.refuse > 0) refuse();
      if (search_.spent()) return;
    }
  }

  void report(const char* what) {
    if (std::getenv("JT")) fmt::print(stderr, "{} {} {:.6f} ({} candidates, best {:.6f})\n", search_.evaluations(), what, search_.best().value*1e3, candidates_.size(), candidates_.front().kernels->best().value*1e3);
  }
  /// Kernels anew, of what the best schedules have put on one device.
  void refuse() {
    const std::size_t count = candidates_.size();
    for (std::size_t i = 0; i < count && i < 2; ++i) {
      Plan plan = search_.start();
      search_.task().apply(candidates_[i].kernels->best_row(), plan);
      for (const FusionRule rule : {FusionRule::priority, FusionRule::merging})
        add_candidate(fused_by(rule, search_.problem(), plan, AcrossDevices::never));
    }
  }

  void take_turns() {
    for (int turn = 0; !search_.spent(); ++turn) {
      if (!search_.task().decides_groups() || turn % 2 == 1) {
        schedule(candidates_.front(), evaluations_of(parameters_.turn), 0);
        report("schedule");
        continue;
      }
      if (rng_.uniform() < parameters_.cross) cross_kernels(evaluations_of(parameters_.turn));
      else change_kernels(evaluations_of(parameters_.turn));
      report("kernels");
    }
  }

  /// Takes what is decided about the kernels of a region from another candidate.
  void cross_kernels(std::uint64_t evaluations) {
    const std::uint64_t end = search_.evaluations() + evaluations;
    std::vector<Blame> blame = search_.blame(candidates_.front().kernels->best_row());
    if (blame.empty()) return change_kernels(evaluations);
    std::size_t tried = 0, near = 0, won = 0, missed = 0;
    while (search_.evaluations() < end && !search_.spent()) {
      const Decisions& current = candidates_.front().kernels->best_row();
      const Score score = candidates_.front().kernels->best();
      Decisions row = current;
      if (!cross(row, blame[rng_.below(blame.size())].operation)) {
        if (++missed > 1000) return;
        continue;
      }
      ++tried;
      const std::span<const Cost> costs = search_.evaluate(row);
      if (costs.empty()) return;
      const Score other = search_.score(costs.front());
      if (other.excess > score.excess || other.value > score.value * (1 + parameters_.near)) continue;
      ++near;
      Candidate candidate{std::make_unique<KernelSearch>(search_, std::move(row))};
      if (!(other < score)) schedule(candidate, static_cast<std::uint64_t>(parameters_.passes), 0);
      else schedule(candidate, 2, 0);
      if (candidate.kernels->best() < score) {
        ++won;
        candidates_.front() = std::move(candidate);
        blame = search_.blame(candidates_.front().kernels->best_row());
        if (blame.empty()) return;
      }
    }
    if (std::getenv("JT")) fmt::print(stderr, "tried {} near {} won {}\n", tried, near, won);
  }

  bool cross(Decisions& row, OperationId middle) {
    const Workload& workload = search_.problem().workload;
    const Decisions& other = pool_[rng_.below(pool_.size())];
    const auto size = static_cast<std::size_t>(std::exp(rng_.uniform(std::log(2.0), std::log(200.0))));
    std::vector<OperationId> region{middle};
    std::set<OperationId> known{middle};
    for (std::size_t i = 0; i < region.size() && region.size() < size; ++i) {
      const auto add = [&](OperationId operation) {
        if (operation.valid() && region.size() < size && known.insert(operation).second) region.push_back(operation);
      };
      for (const BufferId input : workload.inputs(region[i])) add(workload.buffer(input).producer);
      for (const BufferId output : workload.outputs(region[i]))
        for (const OperationId reader : workload.readers(output)) add(reader);
    }
    bool changed = false;
    for (const OperationId operation : region)
      for (const std::uint32_t site : search_.task().sites_about(operation))
        if (search_.task().sites()[site].field == PlanField::group && row[site] != other[site]) {
          row[site] = other[site];
          changed = true;
        }
    return changed;
  }

  void change_kernels(std::uint64_t evaluations) {
    if (!kernels_.exist()) return;
    Decisions current = candidates_.front().kernels->best_row();
    Score score = candidates_.front().kernels->best();
    const std::uint64_t end = search_.evaluations() + evaluations;
    constexpr std::int64_t kBatch = 4;
    bool changed = false;
    while (search_.evaluations() < end && !search_.spent()) {
      const std::span<const Cost> costs = kernels_.evaluate(search_, current, kBatch);
      const Score before = score;
      std::size_t best = costs.size();
      for (std::size_t i = 0; i < costs.size(); ++i) {
        const Score other = search_.score(costs[i]);
        kernels_.learn(i, other < before);
        if (other < score || (other == score && best == costs.size())) {
          best = i;
          score = other;
        }
      }
      if (best < costs.size()) {
        std::ranges::copy(kernels_.row(best), current.begin());
        changed = true;
      }
    }
    if (changed) {
      candidates_.clear();
      add_candidate(std::move(current));
    }
  }

  Search& search_;
  const JointParameters& parameters_;
  AimedNeighbors kernels_;
  Rng rng_;
  std::vector<Candidate> candidates_;
  std::vector<Decisions> pool_;
};

class Joint final : public Optimizer {
 public:
  explicit Joint(const JointParameters& parameters) : parameters_(parameters) {}

  bool plans_groups() const override { return true; }
  void run(Search& search) override { JointRun(search, parameters_).run(); }
  Parameters parameters() override { return parameters_.list(); }

 private:
  JointParameters parameters_;
};

const OptimizerKind joint_kind = OptimizerKind::with_parameters<Joint, JointParameters>(
    "joint", "ways to make kernels judged by list schedules of them, then both changed in turns");

}  // namespace
}  // namespace hone

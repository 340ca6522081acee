// Kernels, devices and order together. First kernels are decided by what they take one after another, which is where a
// policy helps that has learned what single decisions are worth. But what kernels are worth shows when they are
// scheduled: these and those of rules race, judged by list schedules of them. The winner is scheduled for long. Then its kernels are changed,
// region by region where the plan is as long as it is, into what another rule has made of the region; what comes near
// is scheduled anew for a little, and kept if it is better.

#include <algorithm>
#include <bit>
#include <limits>

#include "plan/methods/fusion_rules.h"
#include "plan/methods/kernel_choice.h"
#include "plan/methods/kernel_regions.h"
#include "plan/methods/kernel_search.h"

namespace hone {
namespace {

struct JointParameters {
  double race = 0.5;
  double schedule = 0.65;
  double turn = 0.1;
  double near = 0.005;
  std::int64_t passes = 5;
  std::int64_t portion = 150;
  double decide = 0.15;
  std::string begin = "pipelines", kernels = "advantage:policy=zero-step";

  Parameters list() {
    return Parameters()
        .add("race", &race, {0, 1}, "share of the budget in which ways to make kernels are compared")
        .add("schedule", &schedule, {0, 1}, "share of it after which kernels of the best way begin to change")
        .add("turn", &turn, {0.001, 1}, "share of it in which kernels change before they are scheduled again")
        .add("near", &near, {0, 1}, "how much worse other kernels may be at first if they are to be scheduled anew")
        .add("passes", &passes, {1, 1e6}, "evaluations for that")
        .add("portion", &portion, {1, 1e9}, "evaluations after which scheduling goes on from the best")
        .add("decide", &decide, {0, 1}, "share of the budget in which kernels are decided by what they take; 0: by rules")
        .add("kernels", &kernels, "the optimiser that decides them")
        .add("begin", &begin, "the optimiser with whose plans schedules begin in the race, such as `go`");
  }
};

/// One run of the search.
class JointRun {
 public:
  JointRun(Search& search, const JointParameters& parameters)
      : search_(search), parameters_(parameters), regions_(search), rng_(search.rng()) {}

  void run() {
    const auto is_device = [](const Site& site) { return site.field == PlanField::device; };
    if (search_.problem().workload.operation_count() == 0) return;
    if (std::ranges::none_of(search_.task().sites(), is_device)) return;
    race(candidates());
    schedule(*best_, evaluations_until(parameters_.schedule), FirstTries::none);
    while (!search_.spent()) {
      const std::uint64_t before = search_.evaluations();
      if (search_.task().decides_groups()) change_kernels(evaluations_of(parameters_.turn));
      schedule(*best_, evaluations_of(parameters_.turn / 4), FirstTries::none);
      if (search_.evaluations() == before) return;
    }
  }

 private:
  /// Whether scheduling begins with the longest paths or goes on from what there is.
  enum class FirstTries { all, none };

  using Candidates = std::vector<std::unique_ptr<KernelSearch>>;

  /// The kernels of the best plan so far, those that rules make, and those that are decided one by one.
  Candidates candidates() {
    std::vector<Plan> plans{search_.best_plan()};
    if (search_.task().decides_groups())
      for (const FusionRule rule :
           {FusionRule::priority, FusionRule::merging, FusionRule::all, FusionRule::topological, FusionRule::none})
        plans.push_back(fused_by(rule, search_.problem(), search_.best_plan()));
    std::vector<Decisions> rows;
    for (const Plan& plan : plans) rows.push_back(search_.task().encode(plan));
    if (search_.task().decides_groups() && parameters_.decide > 0) rows.push_back(decided_kernels(rows));
    Candidates found;
    for (Decisions& row : rows) {
      if (std::ranges::find(kernels_, row) != kernels_.end()) continue;
      kernels_.push_back(row);
      found.push_back(std::make_unique<KernelSearch>(search_, std::move(row)));
    }
    return found;
  }

  /// From those of the given kernels on that take least where the search starts, one after another.
  Decisions decided_kernels(std::span<const Decisions> known) {
    const std::uint64_t evaluations = evaluations_of(parameters_.decide);
    Decisions start = unscheduled(known.front());
    double least = std::numeric_limits<double>::infinity();
    for (const Decisions& row : known) {
      Decisions unscheduled_row = unscheduled(row);
      const std::span<const Cost> costs = search_.evaluate(unscheduled_row);
      if (costs.empty() || costs.front().seconds >= least) continue;
      least = costs.front().seconds;
      start = std::move(unscheduled_row);
    }
    KernelChoice choice(search_, std::move(start));
    choice.run(*make_optimizer(parameters_.kernels), evaluations, rng_.next());
    return choice.best_row();
  }

  /// Of so many evaluations in all that there are.
  std::uint64_t evaluations_of(double share) const {
    const double all = static_cast<double>(search_.evaluations()) / std::max(search_.share_spent(), 1e-12);
    return static_cast<std::uint64_t>(std::clamp(share * all, kLeastTurn, kLongestTurn));
  }
  std::uint64_t evaluations_until(double share) const {
    return share > search_.share_spent() ? evaluations_of(share - search_.share_spent()) : 0;
  }

  void schedule(KernelSearch& kernels, std::uint64_t evaluations, FirstTries tries) {
    if (evaluations == 0 || search_.spent()) return;
    const char* spec = tries == FirstTries::all ? "list-search" : "list-search:tries=0";
    const auto portion = static_cast<std::uint64_t>(parameters_.portion);
    for (std::uint64_t spent = 0; spent < evaluations && !search_.spent(); spent += portion)
      kernels.run(*OptimizerKind::make_by(spec), std::min(portion, evaluations - spent), rng_.next());
  }

  /// All get a little, the longest paths first. Where a schedule ends depends on chance as much as on kernels: the
  /// better half goes on, and schedules of the same kernels from nothing with it. Then half of these again and again,
  /// with an equal share of the race each time.
  void race(Candidates candidates) {
    const std::uint64_t first = evaluations_of(parameters_.race * kFirstShare) / candidates.size();
    for (const std::unique_ptr<KernelSearch>& kernels : candidates) {
      kernels->run(*make_optimizer(parameters_.begin), kBegun, rng_.next());
      schedule(*kernels, std::max(kFirstTries, first), FirstTries::all);
    }
    keep_better_half(candidates);
    for (std::size_t count = candidates.size(), i = 0; i < count * (kSchedules - 1); ++i)
      candidates.push_back(std::make_unique<KernelSearch>(search_, unscheduled(candidates[i % count]->best_row())));
    const double rounds = std::bit_width(candidates.size() - 1);
    const std::uint64_t round = evaluations_of(parameters_.race * (1 - kFirstShare) / rounds);
    while (candidates.size() > 1 && !search_.spent()) {
      for (const std::unique_ptr<KernelSearch>& kernels : candidates)
        schedule(*kernels, round / candidates.size() + 1, FirstTries::none);
      keep_better_half(candidates);
    }
    best_ = std::move(candidates.front());
  }

  /// What the start of the search decides, with these kernels.
  Decisions unscheduled(const Decisions& row) const {
    Decisions start = search_.task().encode(search_.start());
    for (std::size_t i = 0; i < row.size(); ++i)
      if (search_.task().sites()[i].field == PlanField::group) start[i] = row[i];
    return start;
  }

  static void keep_better_half(Candidates& candidates) {
    std::ranges::stable_sort(candidates, {}, [](const auto& kernels) { return kernels->best(); });
    candidates.resize((candidates.size() + 1) / 2);
  }

  /// Region by region, for so many evaluations.
  void change_kernels(std::uint64_t evaluations) {
    const std::uint64_t end = search_.evaluations() + evaluations;
    std::vector<Blame> blame = search_.blame(best_->best_row());
    for (int vain = 0; !blame.empty() && search_.evaluations() < end && !search_.spent() && vain < kMostVain;) {
      Decisions row = best_->best_row();
      const Decisions& other = kernels_[rng_.below(kernels_.size())];
      if (!regions_.cross(row, other, blame[rng_.below(blame.size())].operation, rng_)) {
        ++vain;
        continue;
      }
      vain = 0;
      if (!take(std::move(row))) continue;
      blame = search_.blame(best_->best_row());
    }
  }

  /// Whether other kernels, scheduled anew for a little if they come near, are better; they are gone on from then.
  bool take(Decisions row) {
    const std::span<const Cost> costs = search_.evaluate(row);
    if (costs.empty()) return false;
    const Score score = search_.score(costs.front()), before = best_->best();
    if (score.excess > before.excess || score.value > before.value * (1 + parameters_.near)) return false;
    auto kernels = std::make_unique<KernelSearch>(search_, std::move(row));
    schedule(*kernels, static_cast<std::uint64_t>(parameters_.passes), FirstTries::none);
    if (!(kernels->best() < before)) return false;
    best_ = std::move(kernels);
    return true;
  }

  static constexpr double kFirstShare = 0.25;       // of the race
  static constexpr std::size_t kSchedules = 4;      // of the same kernels
  static constexpr std::uint64_t kFirstTries = 14;  // longest paths, and the plan it begins with
  static constexpr std::uint64_t kBegun = 30;       // evaluations, at most, of what schedules begin with
  static constexpr double kLeastTurn = 4, kLongestTurn = 1e6;
  static constexpr int kMostVain = 1000;  // regions in a row in which all kernels are alike

  Search& search_;
  const JointParameters& parameters_;
  KernelRegions regions_;
  Rng rng_;
  std::vector<Decisions> kernels_;  // of all candidates
  std::unique_ptr<KernelSearch> best_;
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
    "joint", "kernels by rules, judged by list schedules of them, then changed region by region");

}  // namespace
}  // namespace hone

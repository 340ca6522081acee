#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/child_process.h"
#include "graph/ops/datum.h"
#include "plan/machine/kernel_times.h"
#include "plan/problem/group_contents.h"
#include "plan/problem/problem.h"
#include "run/profile/group_content.h"
#include "run/profile/operator_timing.h"
#include "run/runtime/runtime.h"

namespace hone {

/// How groups are timed for searches.
struct GroupMeasuring {
  std::vector<Datum> inputs;  // of the model
  RuntimeOptions options;     // besides the plan
  std::size_t threads = 1;
  std::size_t runs = 9;  // of a plan, each with one before it that is not timed
};

/// What plans of one model take on a runtime that obeys them, by times of their groups, each measured once.
///
/// A plan with groups that were never met is run as a whole, in a child process, and every step is timed: so each group
/// finds the caches, layouts and neighbours that it has in a model. What is kept of it are the new groups, by what they
/// are (GroupContent), so that the next plan is run only for what is new in it, and a plan of known groups costs no run
/// at all. A plan's time is the sum over its groups, as on one lane. Beside new plans runs the one in which nothing is
/// together: what that takes more or less than its known groups is how slow the machine is at the time, and is taken
/// out.
///
/// All methods may be called by several threads, one of which is served at a time: timings made side by side would
/// disturb one another.
class MeasuredGroups {
 public:
  /// `known` are timings of another time, see `records`. Throws InputError where the runtime obeys no plans, or the
  /// model runs by none.
  MeasuredGroups(std::shared_ptr<const Runtime> runtime, const Model& model, GroupMeasuring measuring,
                 const ProfileTable& known = {});

  /// The conditions under which its timings hold.
  static ProfileContext conditions(const Runtime& runtime, std::size_t threads = 1);

  /// What plans speak of: the model as the runtime makes it ready, on the runtime's machine.
  const Problem& problem() const { return problem_; }

  /// Times the groups of several plans that are not known, all in turn.
  void measure(std::span<const Plan> plans);
  /// By group of the plan; measures those that are not known.
  std::vector<double> group_seconds(const Plan& plan);
  /// The sum of these.
  double seconds(const Plan& plan);
  /// One group by itself; nothing where no plan with it was measured.
  std::optional<double> known_seconds(const KernelView& group) const;

  /// Times of the groups of plans, as the simulator takes them; measures those that are not known.
  std::shared_ptr<const KernelTimes> kernel_times(std::span<const Plan> plans);

  /// Everything timed here, for a store (`record_timings`); nothing that was known before.
  const ProfileTable& records() const { return records_; }
  /// How many plans were run so far.
  std::size_t plans_run() const { return plans_run_; }
  /// The conditions under which timings hold.
  const ProfileContext& context() const { return context_; }

 private:
  std::vector<std::uint64_t> keys_of(const Plan& plan) const;
  bool is_known(std::span<const std::uint64_t> keys) const;
  void measure_new(std::span<const Plan> plans);
  void time_at_once(std::span<const Plan> plans);
  void keep(const Plan& plan, const KernelTimes& found);
  RuntimeOptions options_by(const Plan& plan) const;
  std::size_t plans_at_once() const;

  std::shared_ptr<const Runtime> runtime_;
  Model model_, made_ready_;
  GroupMeasuring measuring_;
  Problem problem_;
  GroupContent content_;
  std::uint64_t options_key_;
  ProfileContext context_;
  ProfileTable records_;
  Plan alone_;
  TemporaryFolder folder_;
  std::unordered_map<std::uint64_t, double> seconds_;  // by content and options
  std::size_t plans_run_ = 0;
  mutable std::recursive_mutex one_at_a_time_;
};

}  // namespace hone

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/plugin_kind.h"
#include "plan/problem/problem.h"

namespace hone {

/// The fields of a Plan that tasks decide.
enum class PlanField : std::uint8_t { group, device, priority, transfer_priority, waiting, strategy };

/// A place where something is decided: one of a few options or, with none, a key in [0, 1].
struct Site {
  PlanField field = PlanField::priority;
  // Of that field of a plan, the first where several entries follow one decision. Groups follow from all decisions
  // about them together: there it is an operation, or a read of one by another.
  std::uint32_t entry = 0;
  std::uint32_t options = 0;  // of devices: those that can run all it is about, ascending
};

/// One answer to a task: a number in [0, 1] for every site. At a site with options it says which one by the interval it
/// lies in, so that a random-key chromosome, a sample of a network, a single flip and a rule made by hand are all
/// decisions, and every method works on every task.
using Decisions = std::vector<float>;

inline std::uint32_t option_of(float key, std::uint32_t options) {
  const auto option = static_cast<std::uint32_t>(key * static_cast<float>(options));
  return option < options ? option : options - 1;
}
inline float key_of(std::uint32_t option, std::uint32_t options) {
  return (static_cast<float>(option) + 0.5F) / static_cast<float>(options);
}

/// A decision space over a problem. Used by many threads at once.
class Task {
 public:
  virtual ~Task() = default;

  const std::vector<Site>& sites() const { return sites_; }

  /// Writes what is decided into its part of a plan that is complete otherwise; allocates only the first time.
  virtual void apply(std::span<const float> keys, Plan& plan) const = 0;
  /// The decisions that lead to this part of a plan; of priorities the order is kept.
  virtual Decisions encode(const Plan& plan) const = 0;
  /// Whether it decides groups. It is applied after all others, to a plan that says by operation what they decide.
  virtual bool decides_groups() const { return false; }
  /// The sites where something about an operation is decided. Methods that know which operations matter find what to
  /// change by it; sites that are about none are searched blindly.
  std::span<const std::uint32_t> sites_about(OperationId operation) const {
    if (operation.index() >= sites_about_.size()) return {};
    return sites_about_[operation.index()];
  }

 protected:
  void add_site(const Site& site) { sites_.push_back(site); }
  /// Says that a site decides something about an operation.
  void relate(std::size_t site, OperationId operation);

 private:
  std::vector<Site> sites_;
  std::vector<std::vector<std::uint32_t>> sites_about_;  // by operation
};

/// One kind of task, under the name the user types. It is made for a problem and the groups of a plan.
class TaskKind : public PluginKind<TaskKind, Task, const Problem&, const Plan&> {
 public:
  static constexpr std::string_view kCalled = "task";
  using PluginKind::PluginKind;
};

/// `place,schedule,transfers` or `place+schedule+transfers`: tasks decided together, their sites one after another.
/// Where `start` has groups and none of the tasks decides them, devices and priorities are decided for groups, else for
/// operations. Throws InputError (usage) for a name that is no task.
std::unique_ptr<Task> make_task(const Problem& problem, std::string_view names, const Plan& start = {});

/// How many groups plans with the groups of this one have.
std::size_t group_count(const Problem& problem, const Plan& start);

/// Keys in the order of these priorities, spread over [0, 1]; equal priorities get equal keys.
Decisions keys_in_order(std::span<const float> priorities);

}  // namespace hone

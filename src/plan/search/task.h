#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "plan/problem/problem.h"

namespace hone {

/// A place where something is decided: one of a few options or, with none, a key in [0, 1].
struct Site {
  std::uint32_t options = 0;
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
  /// The sites where something about a work is decided. Methods that know which works matter find what to change by it;
  /// a task that has no answer is searched blindly.
  virtual std::vector<std::uint32_t> sites_about(WorkId) const { return {}; }

 protected:
  std::vector<Site> sites_;
};

/// One kind of task. Defining one at namespace scope registers it.
class TaskKind {
 public:
  using Make = std::unique_ptr<Task> (*)(const Problem&);

  TaskKind(std::string_view name, std::string_view summary, Make factory);
  TaskKind(const TaskKind&) = delete;
  TaskKind& operator=(const TaskKind&) = delete;

  std::string_view name() const { return name_; }
  std::string_view summary() const { return summary_; }
  std::unique_ptr<Task> make(const Problem& problem) const { return make_(problem); }

  /// All kinds by name.
  static std::vector<const TaskKind*> all();

 private:
  std::string_view name_, summary_;
  Make make_;
};

/// `place+schedule+transfers`: tasks decided together, their sites one after another. Throws InputError (usage) for a
/// name that is no task.
std::unique_ptr<Task> make_task(const Problem& problem, std::string_view names);

/// Keys in the order of these priorities, spread over [0, 1]; equal priorities get equal keys.
Decisions keys_in_order(std::span<const float> priorities);

}  // namespace hone

#pragma once

#include <compare>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/cost.h"
#include "core/plan.h"
#include "core/sharding_problem.h"

namespace hone {

/// What a plan is judged by; less is better.
enum class Objective : std::uint8_t {
  seconds_in_memory,  // run time, of plans that fit into memory first
  seconds,            // run time, as if memory had no end
  peak_bytes,         // most that any one device holds
};

/// What the user types: `fit`, `seconds`, `memory`.
std::string_view name_of(Objective objective);
/// Throws InputError (usage) for a name that is none.
Objective parse_objective(std::string_view name);

/// How good a plan is under an objective; the lesser is the better plan.
struct Score {
  double excess = 0;  // bytes beyond the memory there is, where that counts; infinite when the plan never ends
  double value = 0;   // seconds or bytes

  friend auto operator<=>(const Score&, const Score&) = default;
};
Score score(Objective objective, const Cost& cost);

/// What is to be planned. No optimiser ever changes it.
struct Problem {
  Workload workload;
  Machine machine;
  Objective objective = Objective::seconds_in_memory;
  /// Where strategies of nodes are what is to be decided; workload and machine are empty then.
  std::shared_ptr<const ShardingProblem> sharding;
};

/// What is wrong with a plan for a problem, as one sentence; nothing when it is right.
std::optional<std::string> check(const Problem& problem, const Plan& plan);

/// Which devices may run what: works that must share a device are one choice.
class DeviceChoices {
 public:
  /// Throws InputError naming works that must share a device while no device can run all of them.
  explicit DeviceChoices(const Problem& problem);

  std::size_t count() const { return devices_.size(); }
  std::size_t choice_of(WorkId work) const { return choice_of_[work.index()]; }
  /// Ascending, never empty.
  const std::vector<DeviceId>& devices(std::size_t choice) const { return devices_[choice]; }

 private:
  std::vector<std::size_t> choice_of_;
  std::vector<std::vector<DeviceId>> devices_;
};

/// What happens when nobody decides anything: all work on the first device that can run it, in the order the source
/// gives or, without one, in topological order.
Plan undecided_plan(const Problem& problem);

}  // namespace hone

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/flat_lists.h"
#include "plan/search/task.h"

namespace hone {

/// What local advantage speaks about: one site of a task, or all sites about reads of one operation, which only
/// together decide whether its readers compute it. Every unit has a few options; keys are cut into as many intervals.
class DecisionUnits {
 public:
  struct Unit {
    PlanField field = PlanField::priority;
    std::uint32_t options = 0;
    OperationId operation;  // that it is about; of a read the one that is read. None where the task does not say
    OperationId reader;     // of a read
  };

  DecisionUnits(const Problem& problem, const Task& task);

  std::size_t size() const { return units_.size(); }
  /// Units of one site come first, by site where all sites leave a choice.
  std::size_t single_count() const { return singles_; }
  const Unit& at(std::size_t unit) const { return units_[unit]; }
  std::span<const std::uint32_t> sites(std::size_t unit) const { return sites_[unit]; }
  /// Units about an operation, as what is decided about or as a reader.
  std::span<const std::uint32_t> about(OperationId operation) const;

  /// Single units about some operations, or about reads of one of them by another: what puts them into one kernel.
  std::vector<std::uint32_t> within(std::span<const OperationId> operations) const;

  /// What its first site says.
  std::uint32_t option(std::span<const float> row, std::size_t unit) const {
    return option_of(row[sites_[unit].front()], units_[unit].options);
  }
  /// Whether all its sites say so.
  bool has_option(std::span<const float> row, std::size_t unit, std::uint32_t option) const;
  /// Makes all its sites say so.
  void set(std::span<float> row, std::size_t unit, std::uint32_t option) const;

  /// Single units within so many steps of a unit; one step leads to all units about an operation of the one before. At
  /// most `most`, the nearest first.
  std::vector<std::uint32_t> neighbourhood(std::size_t unit, std::int64_t steps, std::size_t most) const;

 private:
  void add_single(std::uint32_t site, const Site& about, std::span<const OperationId> operations,
                  const Workload& workload);
  void add_bundles();

  std::vector<Unit> units_;
  std::size_t singles_ = 0;
  FlatLists<std::uint32_t> sites_;                 // by unit
  std::vector<std::vector<std::uint32_t>> about_;  // by operation
};

/// Options of a site that has a key: whether operations share a kernel has three meanings (see the task `fuse-edges`).
inline constexpr std::uint32_t kKeyOptions = 3;

/// What an option of a decision about groups means, in whatever form it is made.
enum class FusionMeaning : std::uint8_t { apart, inlined, merged };
FusionMeaning fusion_meaning(std::uint32_t option, std::uint32_t options);

}  // namespace hone

#pragma once

#include <span>
#include <vector>

#include "formats/hlo/module.h"
#include "plan/problem/plan.h"

namespace hone {

/// Where the values of an entry computation are made and read when groups of its operations become one. Tuples and
/// their elements, which are names and no operations, are inside a group when anything they are made of is.
class FusedValues {
 public:
  FusedValues(const hlo::Module& module, const Plan& plan);

  /// What the computation of a group consists of, in file order: its operations, and the tuples, elements and scalar
  /// constants that these read.
  std::span<const hlo::InstructionId> body(GroupId group) const { return bodies_[group.index()]; }
  /// What a group reads from elsewhere, in file order.
  std::span<const hlo::InstructionId> reads(GroupId group) const { return reads_[group.index()]; }
  /// The operations at home in a group whose values leave it, in file order.
  std::span<const hlo::InstructionId> stores(GroupId group) const { return stores_[group.index()]; }
  /// Whether a group is more than one operation.
  bool is_fused(GroupId group) const { return sizes_[group.index()] > 1; }
  /// Whether a group makes a value for itself.
  bool is_inside(GroupId group, hlo::InstructionId id) const;
  /// Whether the entry computation has to hold a value.
  bool is_needed(hlo::InstructionId id) const { return needed_[position(id)]; }

 private:
  std::size_t position(hlo::InstructionId id) const { return id.index() - range_.begin; }
  hlo::InstructionId at(std::size_t position) const { return hlo::InstructionId(range_.begin + position); }

  void place_instances(const Plan& plan);
  void place_names();
  void fill_body(GroupId group);
  void find_needed();
  void list_stores(const Plan& plan);

  const hlo::Module& module_;
  hlo::Range range_;
  std::vector<std::vector<GroupId>> inside_;  // by position, ascending: the groups that make it
  std::vector<std::vector<hlo::InstructionId>> bodies_, reads_, stores_;  // by group
  std::vector<std::size_t> sizes_;                                        // by group: operations
  std::vector<bool> needed_;                                              // by position
};

}  // namespace hone

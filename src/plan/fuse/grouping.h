#pragma once

#include <cstdint>
#include <vector>

#include "plan/problem/plan.h"

namespace hone {

/// Which operations share a kernel, each group named by one of its operations.
struct Grouping {
  /// An operation that is computed once more.
  struct Copy {
    std::uint32_t operation = 0;
    std::uint32_t group = 0;  // an operation of the group
  };

  std::vector<std::uint32_t> group_of;  // by operation
  std::vector<Copy> copies;
};

/// Writes groups into plans, again and again without allocating.
class GroupWriter {
 public:
  /// The plan decides by operation; afterwards it decides by group. A group gets what was decided for its last
  /// operation (the one of the highest number). A plan in which no operation shares a kernel keeps deciding by
  /// operation.
  void write(const Grouping& grouping, Plan& plan);

 private:
  std::vector<std::uint32_t> last_;    // by operation that names a group: the last in it
  std::vector<std::uint32_t> number_;  // by last operation: the group's number
};

/// By operation: whether nothing of what it makes is stored, since all groups that read it compute it themselves.
std::vector<std::uint8_t> computed_by_readers(const Workload& workload, const Plan& plan);

}  // namespace hone

#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "plan/solve/solve.h"
#include "store/database/record.h"

namespace hone {

/// Where a graph comes from decides which figure it counts for.
enum class RegalOrigin { test, large, xla };
std::string_view name_of(RegalOrigin origin);

/// A graph and what is wanted of it.
struct RegalSetting {
  std::string name;
  RegalOrigin origin = RegalOrigin::test;
  GraphRecord record;
  Problem problem;
  std::unique_ptr<Solver> solver;
};

/// A search in the table.
struct RegalContender {
  enum class Kind { rival, ablation };

  std::string optimizer, role;
  Kind kind = Kind::rival;

  /// Rivals run everywhere; ablations where the policy is judged: test graphs, peak memory.
  bool takes_part(const RegalSetting& setting) const;
};

/// All of them; the first is what others are measured by.
const std::vector<RegalContender>& regal_contenders();
/// Which of them it is.
std::size_t regal_contender(std::string_view optimizer);

}  // namespace hone

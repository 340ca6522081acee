#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "learn/advantage/advantage_features.h"
#include "learn/advantage/decision_units.h"

namespace hone {

/// Which decisions of a graph are about the same: networks repeat their layers, and what helps in one mostly helps in
/// the others. Two decisions are alike where the same operations are around them, whatever their sizes.
class AlikeDecisions {
 public:
  /// The units must outlive it.
  AlikeDecisions(const Workload& workload, const DecisionUnits& units);

  /// Where else the same changes of single units could be made: for every place the changes there, the first of which
  /// is about a unit alike to the first. Places share no unit with one another or with the changes.
  std::vector<std::vector<DecisionChange>> elsewhere(std::span<const DecisionChange> changes) const;

 private:
  std::vector<std::uint32_t> around(std::uint32_t unit) const;

  const DecisionUnits& units_;
  std::vector<std::uint64_t> looks_;                                     // by single unit: of what is around it
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> alike_;  // by looks: single units
};

}  // namespace hone

#include "learn/advantage/alike_decisions.h"

#include <algorithm>
#include <unordered_set>

#include "base/hash.h"

namespace hone {
namespace {

constexpr int kLookedRounds = 2;         // of reads in both directions that decide how an operation looks
constexpr std::size_t kMostAround = 64;  // units that a change may reach to
constexpr std::size_t kMostAbout = 24;   // units of an operation that is no hub; hubs are about everything
constexpr std::size_t kMostPlaces = 256;

/// By operation: a hash of what it is and of what is around it.
std::vector<std::uint64_t> looks_of(const Workload& workload) {
  const std::size_t count = workload.operation_count();
  std::vector<std::uint64_t> looks(count);
  for (std::size_t i = 0; i < count; ++i) looks[i] = hash_text(workload.operation(OperationId(i)).op);
  for (int round = 0; round < kLookedRounds; ++round) {
    std::vector<std::uint64_t> next(count);
    for (std::size_t i = 0; i < count; ++i) next[i] = mix(looks[i], static_cast<std::uint64_t>(round));
    for (std::size_t i = 0; i < count; ++i)
      for (const BufferId input : workload.inputs(OperationId(i))) {
        const OperationId producer = workload.buffer(input).producer;
        if (!producer.valid()) continue;
        next[i] += mix(looks[producer.index()], 1);  // sums, since reads and readers come in any order
        next[producer.index()] += mix(looks[i], 2);
      }
    looks = std::move(next);
  }
  return looks;
}

}  // namespace

AlikeDecisions::AlikeDecisions(const Workload& workload, const DecisionUnits& units) : units_(units) {
  const std::vector<std::uint64_t> operations = looks_of(workload);
  for (std::uint32_t unit = 0; unit < units.single_count(); ++unit) {
    const DecisionUnits::Unit& about = units.at(unit);
    std::uint64_t looks = mix(about.options, static_cast<std::uint64_t>(about.field));
    for (const OperationId operation : {about.operation, about.reader})
      looks = mix(looks, operation.valid() ? operations[operation.index()] : 0);
    looks_.push_back(looks);
    alike_[looks].push_back(unit);
  }
}

/// Single units around one, it first, always in the same order where the same is around.
std::vector<std::uint32_t> AlikeDecisions::around(std::uint32_t unit) const {
  std::vector<std::uint32_t> found{unit};
  for (std::size_t next = 0; next < found.size(); ++next)
    for (const OperationId operation : {units_.at(found[next]).operation, units_.at(found[next]).reader}) {
      const std::span<const std::uint32_t> about = units_.about(operation);
      if (about.size() > kMostAbout) continue;
      for (const std::uint32_t each : about) {
        if (found.size() == kMostAround) return found;
        if (each < units_.single_count() && std::ranges::find(found, each) == found.end()) found.push_back(each);
      }
    }
  return found;
}

std::vector<std::vector<DecisionChange>> AlikeDecisions::elsewhere(std::span<const DecisionChange> changes) const {
  std::vector<std::vector<DecisionChange>> places;
  if (changes.empty()) return places;
  const std::uint32_t anchor = changes.front().unit;
  const std::vector<std::uint32_t> here = around(anchor);
  std::vector<std::size_t> positions;
  std::unordered_set<std::uint32_t> taken;
  for (const DecisionChange& change : changes) {
    const auto found = std::ranges::find(here, change.unit);
    if (found == here.end()) return places;
    positions.push_back(static_cast<std::size_t>(found - here.begin()));
    taken.insert(change.unit);
  }
  for (const std::uint32_t other : alike_.at(looks_[anchor])) {
    if (places.size() == kMostPlaces) break;
    if (taken.contains(other)) continue;
    const std::vector<std::uint32_t> there = around(other);
    std::vector<DecisionChange> place;
    for (std::size_t i = 0; i < changes.size() && positions[i] < there.size(); ++i)
      if (const std::uint32_t unit = there[positions[i]];
          looks_[unit] == looks_[changes[i].unit] && !taken.contains(unit))
        place.push_back({unit, changes[i].option});
    if (place.size() != changes.size()) continue;
    for (const DecisionChange& change : place) taken.insert(change.unit);
    places.push_back(std::move(place));
  }
  return places;
}

}  // namespace hone

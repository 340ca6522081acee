#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "plan/solve/solve.h"

namespace hone {

/// What a way to decide kernels, devices and order is compared for.
enum class WayKind : std::uint8_t {
  standard,  // what happens by default: an engineer's devices, first in first out, kernels in topological order
  alone,     // one of the three decided, the others by default
  sequence,  // one after another, by classical methods
  foreseen,  // the same, kernels by what the search `advantage` foresees of single decisions
  joint,     // together
  go,        // together, by what was learned
};
std::string_view name_of(WayKind kind);

/// One way to decide all three.
struct JointWay {
  std::string name;
  WayKind kind = WayKind::sequence;
  double share = 1;  // of the evaluations of all others that it makes, about
  /// What it comes to with so many evaluations in all.
  std::function<Solution(const Problem&, std::uint64_t evaluations, std::uint64_t seed)> run;
};

/// All of them; those of methods that are not there are left out.
std::vector<JointWay> joint_ways();

/// What deciding jointly comes to where no device may hold more than so many bytes.
Solution jointly_within(const Problem& problem, double bytes, std::uint64_t evaluations, std::uint64_t seed);

}  // namespace hone

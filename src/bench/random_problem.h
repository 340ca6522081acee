#pragma once

#include "base/random.h"
#include "plan/problem/plan.h"

namespace hone {

/// A small random workload with everything in it that the simulator has rules for: stated and computed times, aliases,
/// shared weights, several outputs, tokens without bytes, operations of no duration, loops of every kind.
Workload random_workload(Rng& rng, std::size_t operations);

/// One to four devices of one to three kinds, one to three streams each; free, fast, slow and shared links.
Machine random_machine(Rng& rng);

/// A random plan for them; grouped about every second time, mostly with copies, and then now and then with groups that
/// wait in a circle.
Plan random_plan(Rng& rng, const Workload& workload, const Machine& machine);

/// A plan that can be carried out, with groups of about two operations that lie next to one another, a few of them with
/// copies; devices and order at random. For measuring speed.
Plan random_fused_plan(Rng& rng, const Workload& workload, const Machine& machine);

/// A training graph as to its shape: layers of operations with a few inputs from the layers just before, a backward
/// pass that reads what the forward pass kept, weights and their updates. For measuring speed.
Workload layered_training_workload(std::size_t operations, std::uint64_t seed);

}  // namespace hone

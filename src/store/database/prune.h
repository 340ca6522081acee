#pragma once

#include <optional>

#include "store/database/store.h"

namespace hone {

/// What may go. Runs that a worker is busy with stay whatever is asked.
struct PruneTerms {
  std::optional<double> older_than_days;  // runs, measurements outside of trials, profiles
  std::optional<std::int64_t> keep_best;  // of the finished runs of one graph, machine, runtime, kind and unit
};

/// Whether to remove or only to count.
enum class PruneMode : std::uint8_t { count, remove };

/// How many records go; the plans, trials and measurements of a run go with it uncounted.
struct PruneCount {
  std::int64_t runs = 0, measurements = 0, profiles = 0;
};

/// Removes what the terms allow, in one transaction. What graphs, machines and runtimes are described as stays.
PruneCount prune(Store& store, const PruneTerms& terms, PruneMode mode);

}  // namespace hone

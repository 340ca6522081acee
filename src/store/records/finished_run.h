#pragma once

#include <string>

#include "store/database/store.h"
#include "store/records/circumstances.h"

namespace hone {

/// Work of hone's own that came to its end: what was asked for, and what came of it.
struct FinishedRun {
  std::string kind;  // `bench optimize`
  Json request, outcome;
};

/// Writes it down with the graph it was about and the machine we run on, all or nothing.
void record_run(Store& store, const GraphRecord& graph, FinishedRun run);

}  // namespace hone

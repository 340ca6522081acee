#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "bench/bench_run.h"
#include "store/database/record.h"

namespace hone {

/// One search of a long benchmark.
struct BenchJob {
  GraphRecord graph;               // what it is about
  nlohmann::ordered_json request;  // all that its outcome depends on
  double length = 0;               // about how long it takes, in any unit
  std::function<nlohmann::ordered_json()> run;
  std::function<void(const nlohmann::ordered_json&)> take;  // what to do with the outcome; never two at once
  /// Of an outcome that was taken, for whoever watches: what it is about, and the figure of the whole benchmark so far.
  std::function<std::string(const nlohmann::ordered_json&)> told;
  std::function<std::string()> standing = {};
};

/// Carries out all jobs, one a core, the longest first, so that no core is left with one at the end. With --db what is
/// done is kept, and a run that was killed goes on where it ended.
void run_jobs(std::string_view case_name, const BenchOptions& options, std::vector<BenchJob> jobs);

}  // namespace hone

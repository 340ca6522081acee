#include "bench/bench_run.h"
#include "bench/fiddle.h"
#include "bench/memory.h"
#include "bench/sharding.h"
#include "bench/stg.h"

namespace hone {
namespace {

/// All public problems that other people's programs have been run on, one set after another.
BenchReport run_foreign(const BenchOptions& options) {
  BenchReport report;
  const auto add = [&](const char* set, const BenchReport& part) {
    for (const nlohmann::ordered_json& row : part.rows) {
      nlohmann::ordered_json labelled{{"set", set}};
      labelled.update(row);
      report.rows.push_back(std::move(labelled));
    }
    report.summary.update(part.summary);
  };
  add("minimalloc", bench_memory(options));
  add("stg", bench_stg(options));
  add("msr-fiddle", compare_fiddle(options));
  add("iopddl", bench_sharding(options));
  return report;
}

const BenchRun kForeign("foreign", run_foreign);

}  // namespace
}  // namespace hone

#include "bench/bench_run.h"
#include "learn/policy/learn_library.h"

namespace hone {
namespace {

constexpr std::size_t kEncodeThreads = 2;

BenchReport run_encode(const BenchOptions& options) {
  const LearnLibrary library = LearnLibrary::open();
  BenchReport report;
  for (const std::size_t nodes : {10'000, 20'000, 40'000, 80'000})
    if (!options.quick || nodes == 10'000) report.rows.push_back(library.time_layers(nodes, kEncodeThreads));
  const nlohmann::ordered_json& last = report.rows.back();
  report.summary = {{options.quick ? "forward_ms" : "forward_ms_80k", last["forward_ms"]},
                    {options.quick ? "backward_ms" : "backward_ms_80k", last["backward_ms"]},
                    {"scatter_ratio", last["scatter_ratio"]}};
  return report;
}

const BenchRun encode("encode", run_encode);

}  // namespace
}  // namespace hone

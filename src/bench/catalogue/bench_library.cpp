#include "bench/catalogue/bench_library.h"

#include "base/part_library.h"

namespace hone {
namespace {

constexpr RequestedPart kBenchPart{.file = "libhone_bench.so",
                                   .variable = "HONE_BENCH_LIB",
                                   .serves = "benchmarking",
                                   .remedy = "`./hone bench CASE` builds it"};

}  // namespace

BenchLibrary BenchLibrary::open() {
  BenchLibrary library;
  library.run_ = PartLibrary(kBenchPart).function<Run>("hone_bench_run");
  return library;
}

BenchReport BenchLibrary::run(const BenchCase& wanted, const BenchOptions& options) const {
  BenchReport report;
  run_(wanted.name(), options, report);
  return report;
}

}  // namespace hone

// What the program finds in the library by name.

#include "bench/bench_run.h"

extern "C" __attribute__((visibility("default"))) void hone_bench_run(std::string_view name,
                                                                      const hone::BenchOptions& options,
                                                                      hone::BenchReport& report) {
  report = hone::BenchRun::named(name)(options);
}

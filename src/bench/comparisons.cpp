#include <deque>

#include "bench/bench_run.h"
#include "bench/catalogue/case_file.h"
#include "bench/comparison.h"

namespace hone {
namespace {

/// What the cases of bench/cases/ do.
class Comparisons {
 public:
  Comparisons() {
    for (const CaseFile& file : case_files())
      runs_.emplace_back(file.name, [&file](const BenchOptions& options) {
        return compare(parse_comparison(nlohmann::json::parse(file.text), file.name), options);
      });
  }

 private:
  std::deque<BenchRun> runs_;
};

const Comparisons comparisons;

}  // namespace
}  // namespace hone

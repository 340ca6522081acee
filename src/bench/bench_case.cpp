#include "bench/bench_case.h"

#include <algorithm>

namespace hone {
namespace {

std::vector<const BenchCase*>& registered_cases() {
  static std::vector<const BenchCase*> cases;
  return cases;
}

}  // namespace

BenchCase::BenchCase(std::string_view name, std::string_view summary,
                     std::function<BenchReport(const BenchOptions&)> run)
    : name_(name), summary_(summary), run_(std::move(run)) {
  registered_cases().push_back(this);
}

std::vector<const BenchCase*> BenchCase::all() {
  std::vector<const BenchCase*> cases = registered_cases();
  std::ranges::sort(cases, {}, &BenchCase::name);
  return cases;
}

}  // namespace hone

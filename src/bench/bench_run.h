#pragma once

#include <functional>

#include "bench/catalogue/bench_case.h"

namespace hone {

/// What the case of that name in the catalogue does. Defining one at namespace scope registers it.
class BenchRun : public Registered<BenchRun> {
 public:
  static constexpr std::string_view kCalled = "programmed benchmark case";

  BenchRun(std::string_view name, std::function<BenchReport(const BenchOptions&)> run)
      : name_(name), run_(std::move(run)) {}

  std::string_view name() const { return name_; }
  BenchReport operator()(const BenchOptions& options) const { return run_(options); }

 private:
  std::string_view name_;
  std::function<BenchReport(const BenchOptions&)> run_;
};

}  // namespace hone

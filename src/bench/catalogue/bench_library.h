#pragma once

#include "bench/catalogue/bench_case.h"

namespace hone {

/// The part of hone that measures hone. A first run can do without, so that it is a library of its own, which is opened
/// when it is asked for: `HONE_BENCH_LIB`, or beside the program.
class BenchLibrary {
 public:
  /// Throws InputError naming the command that builds it when it is not there or cannot be opened.
  static BenchLibrary open();

  /// Throws InputError for options that the case cannot work with.
  BenchReport run(const BenchCase& wanted, const BenchOptions& options) const;

  using Run = void (*)(std::string_view, const BenchOptions&, BenchReport&);

 private:
  Run run_ = nullptr;
};

}  // namespace hone

#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "base/deadline.h"

namespace hone {

/// Minimise a linear function of columns under rows, some columns being integers.
class IntegerProgram {
 public:
  enum class Kind { continuous, integer };
  struct Column {
    double low = 0, high = 1;
    double price = 0;  // in what is minimised
    Kind kind = Kind::continuous;
  };
  using Terms = std::vector<std::pair<int, double>>;  // column, factor

  int add_column(const Column& column);
  /// low <= sum of terms <= high.
  void add_row(Terms terms, double low, double high);

  struct Outcome {
    std::vector<double> values;                               // by column; empty when nothing was found
    double bound = -std::numeric_limits<double>::infinity();  // no values come to less
  };
  /// Looks at so many nodes at most, beginning from values that are allowed, if any. Finds nothing when the deadline is
  /// over before it has an answer. The solver runs in a child process, since it would take Ctrl-C for its own.
  Outcome solve(std::span<const double> start, std::int64_t nodes, const Deadline& deadline = {}) const;

 private:
  Outcome solve_here(std::span<const double> start, std::int64_t nodes, double seconds) const;

  std::vector<Column> columns_;
  struct Row {
    Terms terms;
    double low = 0, high = 0;
  };
  std::vector<Row> rows_;
};

}  // namespace hone

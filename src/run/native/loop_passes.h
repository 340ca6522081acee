#pragma once

#include <cstdint>
#include <vector>

#include "graph/loops/loop_nest.h"

namespace hone::native {

/// In which passes over a row the values of a nest are computed: what depends on a fold has to wait until a pass has
/// gone through the whole row.
class LoopPasses {
 public:
  explicit LoopPasses(const LoopNest& nest);

  /// A pass over the points of a row, and what is computed once for the row before it.
  struct Pass {
    std::vector<std::uint32_t> rows;    // instructions; a fold stands for taking its result
    std::vector<std::uint32_t> points;  // instructions; a fold stands for adding a point to it
    std::vector<std::uint32_t> spread;  // stores of values by row that go to every point
  };
  const std::vector<Pass>& passes() const { return passes_; }

  /// The value that an instruction reads, or what that one spreads.
  std::uint32_t origin(std::uint32_t value) const;
  /// Whether a value is the same at all points of a row.
  bool is_by_row(std::uint32_t value) const { return by_row_[value]; }
  /// Whether a value of points is kept for later passes; others are computed again there.
  bool is_kept(std::uint32_t value) const { return kept_[value]; }
  /// Whether this pass finds a value where an earlier one kept it.
  bool is_found_in(std::uint32_t value, std::size_t pass) const { return kept_[value] && pass_of_[value] < pass; }
  std::size_t kept_count() const;
  /// The first pass that has a value.
  std::uint32_t pass_of(std::uint32_t value) const { return pass_of_[value]; }
  /// Whether what is stored goes to points, not to rows.
  bool goes_to_points(const LoopStore& store) const { return nest_.operands[store.operand].strides.back() != 0; }

 private:
  void classify();
  void choose_kept();
  void need_rows();
  void write_pass(std::size_t pass);
  void add_points(std::uint32_t value, std::size_t pass, std::vector<bool>& listed);
  std::uint32_t operand(std::uint32_t value, std::size_t k) const { return origin(nest_.code[value].values[k]); }

  const LoopNest& nest_;
  std::vector<std::uint32_t> pass_of_;  // by value: the first pass that has it
  std::vector<bool> by_row_, kept_, needed_;
  std::vector<Pass> passes_;
};

}  // namespace hone::native

#pragma once

#include "run/native/lowering.h"
#include "run/native/product_step.h"

namespace hone::native {

/// A product of matrices that are both computed, or of stacks of them one by one: what multiplies from the right is
/// packed into scratch when it is there.
class ComputedProduct final : public Step {
 public:
  /// Where all matrices of a stack lie; the last two axes of a view are rows and columns, those of `a` and `c` with
  /// elements of a row side by side.
  struct Matrices {
    Stored a, b, c;
  };
  /// Constant numbers that are added to the columns, or none.
  using Bias = std::vector<float>;

  ComputedProduct(const Matrices& matrices, Bias bias, std::vector<ProductStep::Finish> finishes);

  void run(const RunMemory& memory) const override;
  std::size_t held_bytes() const override { return bias_.size() * sizeof(float); }
  std::size_t scratch_bytes() const override;
  std::vector<ArrayId> reads() const override;
  std::vector<ArrayId> writes() const override { return {c_.array}; }

 private:
  /// Where the matrices of one product begin, in elements.
  struct Time {
    std::int64_t a = 0, b = 0, c = 0;
  };
  float* packed(const RunMemory& memory, std::size_t share) const;
  void run_times(const RunMemory& memory, std::size_t share) const;
  void run_time(const RunMemory& memory, const Time& time) const;
  TiledProduct::Operands operands_of(const RunMemory& memory, const Time& time, const float* weights) const;
  TiledProduct::Matrix matrix_of(const RunMemory& memory, const Time& time) const;

  TiledProduct tiles_;
  ArrayPlace a_, b_, c_;
  std::int64_t depth_stride_ = 0, column_stride_ = 0;  // of what is packed
  std::vector<Time> times_;
  Bias bias_;
  std::vector<ProductStep::Finish> finishes_;
  std::size_t shares_ = 1;
  bool shares_times_ = false;  // else rows or columns of each
};

/// Whether elements of a row of matrices lie side by side, as whatever is multiplied from the left has to.
bool has_rows(const LoopView& view);

}  // namespace hone::native

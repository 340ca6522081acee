#pragma once

#include <optional>

#include "run/native/onednn.h"
#include "run/native/packed_product.h"

namespace hone::native {

/// A product with packed weights on arrays of a program, shared by threads.
class ProductStep final : public Step {
 public:
  /// Something that is done last, with where what it reads lies.
  struct Finish {
    ProductFinish step;
    ArrayPlace operand;
  };

  static constexpr std::size_t kMostFinishes = 8;

  ProductStep(std::shared_ptr<const PackedProduct> product, ArrayPlace a, ArrayPlace c, std::vector<Finish> finishes);

  void run(const RunMemory& memory) const override;
  /// Its part of what it holds together with other steps.
  std::size_t held_bytes() const override {
    return product_->weight_bytes() / static_cast<std::size_t>(product_.use_count());
  }
  std::vector<ArrayId> reads() const override;
  std::vector<ArrayId> writes() const override { return {c_.array}; }

  /// The next product of the same program on the same lane: its first weights are fetched while this one ends.
  void set_next(const ProductStep& next) { next_ = &next; }

 private:
  std::shared_ptr<const PackedProduct> product_;  // of all steps with the same weights
  ArrayPlace a_, c_;
  std::vector<Finish> finishes_;
  std::size_t shares_ = 1;
  const ProductStep* next_ = nullptr;
};

/// Tells every product which one comes next on its lane.
void link_products(const Program& program);

/// What is done last as it is handed over in a run, operands where they lie.
struct ResolvedFinishes {
  ResolvedFinishes(std::span<const ProductStep::Finish> finishes, const RunMemory& memory);

  /// For a result that begins so many elements further on, as what is added does.
  void move_by(std::int64_t elements);
  std::span<const ProductFinish> span() const { return {all, count}; }

  ProductFinish all[ProductStep::kMostFinishes];
  std::size_t count = 0;
};

/// What is read for what is done last.
std::vector<ArrayId> added_arrays(std::span<const ProductStep::Finish> finishes);

/// What follows a product, as its code does it: rows and blocks of what is added lie `row` and `block` apart. Nothing
/// where there is something that it cannot do.
std::optional<std::vector<ProductStep::Finish>> product_finishes(std::span<const Epilogue> epilogue, std::int64_t row,
                                                                 std::int64_t block);

}  // namespace hone::native

#pragma once

#include <memory>
#include <variant>
#include <vector>

#include "graph/ir/tensor.h"

namespace hone {

struct Sequence;

/// What a value holds at run time: a tensor, a sequence, or nothing (an empty optional, an omitted input).
class Datum {
 public:
  Datum() = default;
  Datum(Tensor tensor) : value_(std::move(tensor)) {}  // NOLINT: a tensor is a datum
  Datum(Sequence sequence);                            // NOLINT: a sequence is a datum

  bool empty() const { return std::holds_alternative<std::monostate>(value_); }
  bool is_tensor() const { return std::holds_alternative<Tensor>(value_); }
  bool is_sequence() const { return !empty() && !is_tensor(); }
  const Tensor& tensor() const { return std::get<Tensor>(value_); }
  const Sequence& sequence() const { return *std::get<std::shared_ptr<const Sequence>>(value_); }

 private:
  std::variant<std::monostate, Tensor, std::shared_ptr<const Sequence>> value_;
};

/// A list of data; `element` is what an empty one would hold.
struct Sequence {
  std::vector<Datum> items;
  ElementType element = ElementType::undefined;
};

inline Datum::Datum(Sequence sequence) : value_(std::make_shared<const Sequence>(std::move(sequence))) {}

}  // namespace hone

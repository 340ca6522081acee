#pragma once

#include <functional>

#include "run/native/lowering.h"

namespace hone::native {

/// A call of plain code on dense arrays: those of the node's inputs, null where one is omitted, then those of its
/// outputs. The code does not allocate; it may use so many bytes of scratch.
class DirectStep final : public Step {
 public:
  using Code = std::function<void(std::span<void* const> arrays, std::byte* scratch)>;

  DirectStep(std::vector<std::optional<ArrayPlace>> inputs, std::vector<std::optional<ArrayPlace>> outputs, Code code,
             std::size_t scratch_bytes);

  void run(const RunMemory& memory) const override;
  std::size_t scratch_bytes() const override { return scratch_bytes_; }
  std::vector<ArrayId> reads() const override { return arrays_of(inputs_); }
  std::vector<ArrayId> writes() const override { return arrays_of(outputs_); }

 private:
  static constexpr std::size_t kMostArrays = 32;
  static std::vector<ArrayId> arrays_of(const std::vector<std::optional<ArrayPlace>>& places);

  std::vector<std::optional<ArrayPlace>> inputs_, outputs_;
  Code code_;
  std::size_t scratch_bytes_;
};

/// A node that plain code is written for, as that code sees it.
class DirectNode : public NodeReader {
 public:
  DirectNode(Lowering& lowering, NodeId id);

  Dims dims(std::size_t input) const { return lowering_.dims(node().inputs[input]); }
  Dims output_dims(std::size_t output) const { return lowering_.dims(node().outputs[output]); }
  ElementType element(std::size_t input) const { return lowering_.graph().value(node().inputs[input]).type.element; }
  ElementType output_element(std::size_t output) const {
    return lowering_.graph().value(node().outputs[output]).type.element;
  }
  /// Null where it is not constant.
  const Tensor* constant(std::size_t input) const {
    return has_input(input) ? lowering_.constant(node().inputs[input]) : nullptr;
  }
  std::size_t element_bytes(std::size_t input) const { return static_cast<std::size_t>(bit_width(element(input))) / 8; }
  /// Where the arrays of outputs begin among those that code is given.
  std::size_t first_output() const { return node().written_inputs().size(); }

  /// Makes code the step of this node.
  void lower(DirectStep::Code code, std::size_t scratch_bytes = 0);

 private:
  Lowering& lowering_;
  NodeId id_;
};

/// An element of an array of indices; those below 0 count from the end. Fails outside of `count`.
std::int64_t index_at(const void* indices, bool is_wide, std::int64_t at, std::int64_t count);

}  // namespace hone::native

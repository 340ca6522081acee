#include "formats/hlo/instruction_loop.h"

#include <algorithm>
#include <charconv>

#include "formats/hlo/attributes.h"
#include "plan/problem/loop.h"

namespace hone::hlo {
namespace {

using Sizes = std::vector<std::int64_t>;

Sizes sizes_of(const Shape& shape) {
  Sizes sizes;
  for (const Dimension& dimension : shape.dimensions) sizes.push_back(dimension.size);
  return sizes;
}

/// True for an array whose sizes are what they say.
bool is_fixed_array(const Shape& shape) {
  return shape.is_array() && std::ranges::none_of(shape.dimensions, [](const Dimension& dimension) {
           return dimension.dynamic || dimension.size == Dimension::kUnbounded;
         });
}

/// True when the last axis runs fastest in memory, without tiles; axes of length 1 may stand anywhere.
bool is_row_major(const Shape& shape) {
  if (shape.layout.empty()) return true;
  std::string_view text = shape.layout.substr(1);
  auto last = static_cast<std::int64_t>(shape.rank());
  while (text != "}") {
    std::int64_t axis = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), axis);
    if (error != std::errc() || axis < 0 || static_cast<std::size_t>(axis) >= shape.rank()) return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.starts_with(',')) text.remove_prefix(1);
    if (shape.size(static_cast<std::size_t>(axis)) == 1) continue;
    if (axis > last) return false;
    last = axis;
  }
  return true;
}

/// Works out the loop of one instruction on arrays.
class InstructionLoop {
 public:
  InstructionLoop(const Module& module, const Instruction& instruction)
      : module_(module),
        instruction_(instruction),
        operands_(module.operands(instruction)),
        output_(module.shape(instruction.shape)),
        points_(element_count(output_)),
        reads_(operands_.size(), Access::other) {}

  Loop find() && {
    switch (instruction_.kind()) {
      case OpKind::elementwise:
      case OpKind::map: return elementwise();
      case OpKind::reshape: return reading_first(Access::same);
      case OpKind::copy:
      case OpKind::bitcast: return renamed();
      case OpKind::movement: return movement();
      case OpKind::slice_read: return reading_first(Access::other);
      case OpKind::produce: return instruction_.opcode == "iota" ? reading_first(Access::other) : Loop{};
      case OpKind::reduce: return reduce();
      case OpKind::reduce_window: return operands_.size() == 2 ? reading_first(Access::other) : Loop{};
      case OpKind::batch_norm: return instruction_.opcode == "batch-norm-inference" ? scaled_channels() : Loop{};
      case OpKind::dot:
      case OpKind::convolution: return contraction();
      default: return {};
    }
  }

 private:
  const Shape& operand(std::size_t i) const { return module_.shape_of(operands_[i]); }

  Loop elementwise() {
    for (std::size_t i = 0; i < reads_.size(); ++i) reads_[i] = access_of(sizes_of(operand(i)), sizes_of(output_));
    return map_loop(points_, std::move(reads_));
  }

  Loop reading_first(Access access) {
    if (!reads_.empty()) reads_[0] = access;
    return map_loop(points_, std::move(reads_));
  }

  /// A copy or a bitcast: elements keep their order when nothing but the shape changes and both lie row by row.
  Loop renamed() {
    const Shape& from = operand(0);
    if (reads_.size() != 1 || from.type != output_.type || element_count(from) != points_) return {};
    const bool alike = from.layout == output_.layout && sizes_of(from) == sizes_of(output_);
    return reading_first(alike || (is_row_major(from) && is_row_major(output_)) ? Access::same : Access::other);
  }

  Loop movement() {
    const std::string_view opcode = instruction_.opcode;
    if (opcode == "bitcast-convert") return reading_first(access_of(sizes_of(operand(0)), sizes_of(output_)));
    if (opcode == "broadcast") return reading_first(broadcast());
    if (opcode == "transpose") return reading_first(transposed());
    const bool moves = opcode == "concatenate" || opcode == "pad" || opcode == "reverse";
    return moves ? reading_first(Access::other) : Loop{};
  }

  Access transposed() const {
    return keeps_order(integers(module_, instruction_, "dimensions"), sizes_of(operand(0))) ? Access::same
                                                                                            : Access::other;
  }

  Access broadcast() const {
    const Sizes places = integers(module_, instruction_, "dimensions"), own = sizes_of(operand(0));
    Sizes stretched(output_.rank(), 1);
    std::int64_t last = -1;
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (own[i] == 1) continue;
      if (places[i] <= last) return Access::other;
      last = places[i];
      stretched[static_cast<std::size_t>(places[i])] = own[i];
    }
    return access_of(stretched, sizes_of(output_));
  }

  Loop reduce() {
    if (operands_.size() != 2 || element_count(operand(0)) == 0) return {};
    const Sizes sizes = sizes_of(operand(0));
    std::vector<bool> folded(sizes.size());
    for (const std::int64_t axis : integers(module_, instruction_, "dimensions"))
      folded[static_cast<std::size_t>(axis)] = true;
    reads_[0] = Access::same;
    Loop loop = fold_loop(sizes, folded, std::move(reads_));
    return loop.results == points_ ? std::move(loop) : Loop{};
  }

  Loop contraction() const {
    return instruction_.opcode == "dot" || instruction_.opcode == "convolution"
               ? contraction_loop(points_, operands_.size())
               : Loop{};
  }

  Loop scaled_channels() {
    const auto feature = static_cast<std::size_t>(integer(module_, instruction_, "feature_index", -1));
    if (feature >= output_.rank()) return {};
    Sizes stretched(output_.rank(), 1);
    stretched[feature] = output_.size(feature);
    const Access channel = access_of(stretched, sizes_of(output_));
    for (std::size_t i = 1; i < reads_.size(); ++i)
      if (element_count(operand(i)) == static_cast<double>(stretched[feature])) reads_[i] = channel;
    return reading_first(Access::same);
  }

  const Module& module_;
  const Instruction& instruction_;
  std::span<const InstructionId> operands_;
  const Shape& output_;
  double points_;
  std::vector<Access> reads_;
};

}  // namespace

Loop loop_of(const Module& module, const Instruction& instruction) {
  const Shape& output = module.shape(instruction.shape);
  if (!is_fixed_array(output) || element_count(output) == 0) return {};
  for (const InstructionId operand : module.operands(instruction))
    if (!is_fixed_array(module.shape_of(operand))) return {};
  return InstructionLoop(module, instruction).find();
}

}  // namespace hone::hlo

#include <algorithm>

#include "base/error.h"
#include "formats/hlo/attributes.h"
#include "formats/hlo/print.h"
#include "formats/hlo/verify.h"

namespace hone::hlo {
namespace {

/// One instruction with its operands' shapes at hand.
class ShapeCheck {
 public:
  ShapeCheck(const Module& module, const Instruction& instruction)
      : module_(module), instruction_(instruction), output_(module.shape(instruction.shape)) {}

  void run() {
    switch (instruction_.kind()) {
      case OpKind::elementwise: return elementwise();
      case OpKind::tuple: return tuple();
      case OpKind::element_of_tuple: return element_of_tuple();
      case OpKind::reshape:
        return require(element_count(operand(0)) == element_count(output_) && operand(0).type == output_.type,
                       "a reshape keeps type and number of elements");
      case OpKind::dot: return dot();
      case OpKind::convolution: return convolution();
      case OpKind::reduce: return reduce();
      case OpKind::update_slice:
        return require(compatible(module_, id(0), instruction_.shape) && operand(1).rank() == output_.rank(),
                       "the result of an update has the shape of what is updated");
      case OpKind::copy: return require(compatible(module_, id(0), instruction_.shape), "a copy keeps the shape");
      case OpKind::slice_read:
        if (instruction_.opcode != "gather") slice();
        return;
      case OpKind::movement: return movement();
      default: return;
    }
  }

 private:
  ShapeId id(std::size_t i) const { return module_.instruction(module_.operands(instruction_)[i]).shape; }
  const Shape& operand(std::size_t i) const { return module_.shape(id(i)); }
  std::size_t operand_count() const { return instruction_.operands.count; }

  void require(bool holds, std::string_view rule) const {
    if (holds) return;
    std::string shapes;
    for (std::size_t i = 0; i < std::min<std::size_t>(operand_count(), 4); ++i)
      shapes += (i > 0 ? ", " : "") + print_shape(module_, id(i));
    fail("{}: '{}' of ({:.200}) is {:.200}: {}", module_.where(instruction_.name), instruction_.name, shapes,
         print_shape(module_, instruction_.shape), rule);
  }

  static bool same_sizes(const Shape& a, const Shape& b) {
    return std::ranges::equal(a.dimensions, b.dimensions, {}, &Dimension::size, &Dimension::size);
  }

  void elementwise() const {
    // A scalar may choose for a whole select and bound a whole clamp.
    const bool scalars_allowed = instruction_.opcode == "select" || instruction_.opcode == "clamp";
    for (std::size_t i = 0; i < operand_count(); ++i) {
      const bool fits = same_sizes(operand(i), output_) || (scalars_allowed && operand(i).rank() == 0);
      require(fits && operand(i).is_array() == output_.is_array(), "operands and result have the same dimensions");
    }
  }

  void tuple() const {
    require(output_.is_tuple() && output_.elements.size() == operand_count(), "a tuple has one element an operand");
    for (std::size_t i = 0; i < operand_count(); ++i)
      require(compatible(module_, id(i), output_.elements[i]), "the elements of a tuple are its operands");
  }

  void element_of_tuple() const {
    const std::int64_t index = integer(module_, instruction_, "index", -1);
    require(operand(0).is_tuple() && index >= 0 && index < static_cast<std::int64_t>(operand(0).elements.size()),
            "index= chooses an element of a tuple");
    require(compatible(module_, operand(0).elements[static_cast<std::size_t>(index)], instruction_.shape),
            "the result is that element");
  }

  /// The sizes of the named axes; refuses axes that do not exist.
  std::vector<std::int64_t> sizes(const Shape& shape, const std::vector<std::int64_t>& axes) const {
    std::vector<std::int64_t> found;
    for (const std::int64_t axis : axes) {
      require(axis >= 0 && axis < static_cast<std::int64_t>(shape.rank()), "a named dimension does not exist");
      found.push_back(shape.size(static_cast<std::size_t>(axis)));
    }
    return found;
  }

  void dot() const {
    const auto lhs_contracted = sizes(operand(0), integers(module_, instruction_, "lhs_contracting_dims"));
    const auto rhs_contracted = sizes(operand(1), integers(module_, instruction_, "rhs_contracting_dims"));
    const auto lhs_batch = sizes(operand(0), integers(module_, instruction_, "lhs_batch_dims"));
    const auto rhs_batch = sizes(operand(1), integers(module_, instruction_, "rhs_batch_dims"));
    if (instruction_.opcode != "dot" || operand_count() != 2) return;
    require(lhs_contracted == rhs_contracted && lhs_batch == rhs_batch, "contracted and batch dimensions agree");
    const std::size_t rank = operand(0).rank() + operand(1).rank() - 2 * lhs_contracted.size() - lhs_batch.size();
    require(output_.rank() == rank, "a dot keeps the dimensions it does not contract");
  }

  void convolution() const {
    const auto labels = convolution_labels(module_, instruction_);
    require(labels.has_value(), "a convolution needs dim_labels=");
    const std::size_t rank = labels->input_spatial.size() + 2;
    require(operand(0).rank() == rank && operand(1).rank() == rank && output_.rank() == rank,
            "dim_labels name every dimension");
    require(output_.size(labels->output_feature) == operand(1).size(labels->kernel_output_feature),
            "the kernel makes the features of the result");
    window(module_, instruction_);
  }

  void reduce() const {
    const auto axes = integers(module_, instruction_, "dimensions");
    sizes(operand(0), axes);
    require(operand_count() % 2 == 0, "a reduction has one start value an operand");
    const Shape& first = output_.is_tuple() && !output_.elements.empty() ? module_.shape(output_.elements[0]) : output_;
    require(first.rank() + axes.size() == operand(0).rank(), "a reduction drops the dimensions it reduces");
  }

  void slice() const {
    require(operand(0).rank() == output_.rank() && operand(0).type == output_.type, "a slice keeps type and rank");
    for (std::size_t i = 0; i < output_.rank(); ++i)
      require(operand(0).size(i) == Dimension::kUnbounded || output_.size(i) <= operand(0).size(i),
              "a slice is no larger than what it is taken from");
  }

  void movement() const {
    const auto axes = integers(module_, instruction_, "dimensions");
    if (instruction_.opcode == "transpose") {
      require(axes.size() == output_.rank() && operand(0).rank() == output_.rank(),
              "a transpose names every dimension");
      const auto moved = sizes(operand(0), axes);
      for (std::size_t i = 0; i < moved.size(); ++i)
        require(moved[i] == output_.size(i), "a transpose keeps the sizes");
    } else if (instruction_.opcode == "broadcast") {
      require(axes.size() == operand(0).rank(), "a broadcast places every dimension of its operand");
      const auto placed = sizes(output_, axes);
      for (std::size_t i = 0; i < placed.size(); ++i)
        require(placed[i] == operand(0).size(i) || operand(0).size(i) == 1, "a broadcast keeps the sizes it is given");
    } else if (instruction_.opcode == "concatenate") {
      concatenate(axes);
    }
  }

  void concatenate(const std::vector<std::int64_t>& axes) const {
    require(axes.size() == 1, "a concatenation has one dimension");
    const auto axis = static_cast<std::size_t>(axes[0]);
    std::int64_t total = 0;
    for (std::size_t i = 0; i < operand_count(); ++i) {
      require(operand(i).rank() == output_.rank(), "a concatenation keeps the rank");
      const std::int64_t size = sizes(operand(i), axes)[0];
      if (size == Dimension::kUnbounded || output_.size(axis) == Dimension::kUnbounded) return;
      require(size <= output_.size(axis) - total, "the parts fill the result");
      total += size;
    }
    require(total == output_.size(axis), "the parts fill the result");
  }

  const Module& module_;
  const Instruction& instruction_;
  const Shape& output_;
};

}  // namespace

void verify_shapes(const Module& module, const Instruction& instruction) { ShapeCheck(module, instruction).run(); }

}  // namespace hone::hlo

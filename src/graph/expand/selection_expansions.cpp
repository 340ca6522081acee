#include "graph/expand/expansion.h"
#include "graph/ops/axes.h"

// Operators that say where something is, by comparing indices.

namespace hone {
namespace {

constexpr std::int64_t kComparisonsOfAll = 11;  // from which opset on Equal, Where and the like take all types

struct SelectionAxis {
  std::size_t rank = 0, axis = 0;
  std::int64_t length = 0;
};

SelectionAxis selection_axis(const Expansion& expansion) {
  const Dims dims = expansion.dims(0);
  const std::size_t axis = normalize_axis(expansion, expansion.integer("axis"), dims.size());
  return {.rank = dims.size(), .axis = axis, .length = dims[axis]};
}

enum class Wanted { first_largest, last_largest, first_smallest, last_smallest };

/// The index of the wanted element along an axis, which stays with length 1; what is not a number is wanted most.
ValueId index_of(Expansion& expansion, const SelectionAxis& along, Wanted wanted) {
  const bool largest = wanted == Wanted::first_largest || wanted == Wanted::last_largest;
  const bool first = wanted == Wanted::first_largest || wanted == Wanted::first_smallest;
  const std::vector<std::int64_t> axes{static_cast<std::int64_t>(along.axis)};
  const ValueId x = expansion.input(0);
  const ValueId best = expansion.reduced(largest ? "ReduceMax" : "ReduceMin", x, axes);
  ValueId is_best = expansion.add("Equal", {x, best});
  if (is_floating(expansion.element(0))) is_best = expansion.add("Or", {is_best, expansion.add("IsNaN", {x})});
  const ValueId places = expansion.indices(along.rank, along.axis, along.length);
  const ValueId none = expansion.add(Tensor::scalar<std::int64_t>(first ? along.length : -1));
  const ValueId found = expansion.add("Where", {is_best, places, none});
  return expansion.reduced(first ? "ReduceMin" : "ReduceMax", found, axes);
}

template <Wanted first, Wanted last>
bool expand_arg(Expansion& expansion) {
  if (expansion.opset() < kComparisonsOfAll || expansion.dims(0).empty()) return false;
  const SelectionAxis along = selection_axis(expansion);
  if (element_count(expansion.dims(0)) == 0) return false;
  const bool wants_last = expansion.integer("select_last_index") != 0;
  const ValueId index = index_of(expansion, along, wants_last ? last : first);
  Dims dims = expansion.dims(0);
  dims[along.axis] = 1;
  if (expansion.integer("keepdims") == 0) dims.erase(along.axis);
  expansion.become(0, expansion.reshaped(index, dims));
  return true;
}

bool expand_hardmax(Expansion& expansion) {
  if (expansion.version() < 13 || element_count(expansion.dims(0)) == 0) return false;
  const SelectionAxis along = selection_axis(expansion);
  const ValueId index = index_of(expansion, along, Wanted::first_largest);
  const ValueId is_it = expansion.add("Equal", {expansion.indices(along.rank, along.axis, along.length), index});
  expansion.become(0, expansion.cast(is_it, expansion.element(0)));
  return true;
}

bool expand_one_hot(Expansion& expansion) {
  const Tensor* depth = expansion.constant(1);
  if (expansion.opset() < kComparisonsOfAll || depth == nullptr || depth->count() != 1) return false;
  Dims dims = expansion.dims(0);
  const std::size_t axis = normalize_axis(expansion, expansion.integer("axis"), dims.size() + 1);
  dims.insert(axis, 1);
  const std::int64_t length = depth->integer_at(0);
  ValueId index = expansion.cast(expansion.input(0), ElementType::int64);
  const ValueId negative = expansion.add("Less", {index, expansion.add(Tensor::scalar<std::int64_t>(0))});
  const ValueId from_end = expansion.add("Add", {index, expansion.add(Tensor::scalar<std::int64_t>(length))});
  index = expansion.reshaped(expansion.add("Where", {negative, from_end, index}), dims);
  const ValueId hot = expansion.add("Equal", {index, expansion.indices(dims.size(), axis, length)});
  const auto value = [&](std::int64_t which) {
    return expansion.add("Gather", {expansion.input(2), expansion.add(Tensor::scalar<std::int64_t>(which))});
  };
  expansion.become(0, expansion.add("Where", {hot, value(1), value(0)}));
  return true;
}

/// What is kept of a matrix by its diagonal is known beforehand.
bool expand_trilu(Expansion& expansion) {
  const Tensor* offset = expansion.constant(1);
  if (expansion.has_input(1) && offset == nullptr) return false;
  const std::int64_t diagonal = offset != nullptr ? offset->integer_at(0) : 0;
  const Dims dims = expansion.dims(0);
  if (dims.size() < 2) return false;
  const std::int64_t rows = dims[dims.size() - 2], columns = dims[dims.size() - 1];
  const bool upper = expansion.integer("upper") != 0;
  Tensor kept = Tensor::zeros(ElementType::boolean, {rows, columns});
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t column = 0; column < columns; ++column)
      kept.write<bool>()[static_cast<std::size_t>(row * columns + column)] =
          upper ? column - row >= diagonal : column - row <= diagonal;
  expansion.become(0, expansion.add("Where", {expansion.add(kept), expansion.input(0), expansion.like(0, 0)}));
  return true;
}

const ExpansionFamily selection_expansions({
    {"ArgMax", expand_arg<Wanted::first_largest, Wanted::last_largest>},
    {"ArgMin", expand_arg<Wanted::first_smallest, Wanted::last_smallest>},
    {"Hardmax", expand_hardmax},
    {"OneHot", expand_one_hot},
    {"Trilu", expand_trilu},
});

}  // namespace
}  // namespace hone

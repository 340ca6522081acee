#include "graph/loops/group_nest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "graph/ops/axes.h"

namespace hone {
namespace {

constexpr std::size_t kMostAxes = 12, kMostOperands = 48, kMostInstructions = 400;

/// Ends an attempt: either for good, or to try again with an axis cut in two.
struct NestObstacle {
  std::string refusal;
  std::optional<AxisCut> cut;
};

Dims dims_of_value(const Graph& graph, ValueId id) {
  Dims dims;
  for (const Dim dim : graph.value(id).type.shape) dims.push_back(dim.value());
  return dims;
}

/// One attempt to write a group as a nest over given axes of its first output.
class NestWriter {
 public:
  NestWriter(const LoopGroup& group, const Dims& extents) : group_(group), extents_(extents) {}

  GroupNest write() {
    for (const ValueId output : group_.outputs) {
      const LoopRead index = index_of_output(output);
      stores_.push_back({.value = value_at(output, index).number, .operand = add_operand(output, index)});
    }
    return finish();
  }

 private:
  [[noreturn]] static void refuse(std::string why) { throw NestObstacle{.refusal = std::move(why), .cut = {}}; }

  /// A cut of an axis of the box; those that were added for what is folded are not cut.
  template <class Found>
  const Found& found_in(const std::variant<std::monostate, AxisCut, Found>& attempt) const {
    if (const auto* cut = std::get_if<AxisCut>(&attempt)) throw NestObstacle{.refusal = {}, .cut = *cut};
    if (std::holds_alternative<std::monostate>(attempt)) refuse("an index is not one of steps along axes");
    return std::get<Found>(attempt);
  }

  /// The box has the points of the first output; others have the same points, or one for those along some axes.
  LoopRead index_of_output(ValueId output) const {
    const Dims root = dims_of_value(group_.graph, group_.outputs[0]), dims = dims_of_value(group_.graph, output);
    const Dims box_strides = strides_of(extents_);
    if (element_count(dims) == element_count(root)) return {.strides = box_strides};
    if (dims.size() != root.size()) refuse("results of different shapes");
    const Dims strides = strides_of(dims);
    for (std::size_t axis = 0; axis < dims.size(); ++axis)
      if (dims[axis] != root[axis] && dims[axis] != 1) refuse("results of different shapes");
    const auto taken_apart = along_axes({.strides = box_strides}, extents_, root, strides_of(root));
    const AxisAccess& access = found_in(taken_apart);
    LoopRead index{.strides = Dims(extents_.size(), 0)};
    for (std::size_t i = 0; i < extents_.size(); ++i)
      if (access.steps[i] && dims[access.steps[i]->axis] != 1)
        index.strides[i] = access.steps[i]->step * strides[access.steps[i]->axis];
    return index;
  }

  LoopValue value_at(ValueId id, const LoopRead& index) {
    for (const auto& [known, known_index, value] : known_)
      if (known == id && known_index.offset == index.offset && same_strides(known_index.strides, index.strides))
        return value;
    if (body_.code().size() > kMostInstructions) refuse("too many instructions");
    const NodeId producer = group_.graph.value(id).producer;
    const bool inside = producer.valid() && std::ranges::count(group_.nodes, producer) > 0;
    if (inside && rounds(producer, id) && has_reader(id)) refuse("a cast to fewer digits is stored");
    const LoopValue value = inside ? computed(producer, id, index) : loaded(id, index);
    known_.push_back({id, index, value});
    return value;
  }

  /// Constants are doubles.
  static bool is_written_exactly(const Tensor& tensor) {
    constexpr double kMost = 0x1.0p53;
    return !is_integer(tensor.type()) || std::fabs(tensor.number_at(0)) < kMost;
  }

  /// A cast to a type with fewer digits than loops compute with is meant to lose them.
  bool rounds(NodeId producer, ValueId id) const {
    const ElementType element = group_.graph.value(id).type.element;
    return (element == ElementType::float16 || element == ElementType::bfloat16) &&
           group_.graph.node(producer).op->name.starts_with("Cast");
  }

  bool has_reader(ValueId id) const {
    return std::ranges::any_of(group_.graph.users(id),
                               [&](const Use& use) { return std::ranges::count(group_.nodes, use.node) > 0; });
  }

  static bool same_strides(const Dims& a, const Dims& b) {
    for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i)
      if ((i < a.size() ? a[i] : 0) != (i < b.size() ? b[i] : 0)) return false;
    return true;
  }

  LoopValue loaded(ValueId id, const LoopRead& index) {
    const Value& value = group_.graph.value(id);
    if (value.constant && value.constant->count() == 1 && !group_.graph.is_input(id) &&
        is_written_exactly(*value.constant))
      return body_.constant(loop_type_of(value.type.element), value.constant->number_at(0));
    return body_.load(add_operand(id, index), value.type.element, false);
  }

  std::uint32_t add_operand(ValueId id, const LoopRead& index) {
    const LoopView view = group_.view_of(id);
    const auto placed = in_array(view, index, extents_);
    const LoopRead& read = found_in(placed);
    for (std::uint32_t i = 0; i < values_.size(); ++i)
      if (values_[i] == id && offsets_[i] == read.offset && same_strides(operands_[i].strides, read.strides)) return i;
    if (values_.size() >= kMostOperands) refuse("too many arrays");
    values_.push_back(id);
    offsets_.push_back(read.offset);
    operands_.push_back({.element = view.element, .strides = read.strides});
    return static_cast<std::uint32_t>(values_.size() - 1);
  }

  LoopValue computed(NodeId node, ValueId output, const LoopRead& index) {
    const auto loop = operator_loop(group_.graph, node, group_.opsets, group_.graph.value(output).slot);
    if (!loop) refuse(fmt::format("{} is no loop", group_.graph.node(node).op->text()));
    const bool is_reshape = !loop->body && loop->reads[0].offset == 0 && loop->reads[0].strides == loop->writes;
    if (is_reshape) return value_at(group_.graph.node(node).inputs[loop->inputs[0]], index);
    const auto taken_apart = along_axes(index, extents_, loop->space, loop->writes);
    const AxisAccess& access = found_in(taken_apart);
    const std::vector<std::size_t> columns = columns_of(*loop, access);
    std::vector<LoopValue> inputs;
    for (std::size_t i = 0; i < loop->inputs.size(); ++i) {
      const LoopRead read = read_at(*loop, loop->reads[i], access, columns);
      inputs.push_back(value_at(group_.graph.node(node).inputs[loop->inputs[i]], read));
    }
    if (!loop->body) return inputs[0];
    body_.set_reals(loop->reals);
    return loop->body(body_, inputs);
  }

  /// Which axes of the box the folded axes of an operator are, in their order; axes are added where there are none.
  std::vector<std::size_t> columns_of(const OperatorLoop& loop, const AxisAccess& access) {
    if (loop.folded.empty()) return {};
    std::vector<std::size_t> columns;
    for (const std::size_t folded : loop.folded) {
      if (loop.space[folded] == 1) continue;
      const std::size_t before = columns.size();
      for (std::size_t i = 0; i < access.steps.size(); ++i)
        if (access.steps[i] && access.steps[i]->axis == folded) columns.push_back(i);
      if (loop.writes[folded] != 0) {
        require_whole(loop, access, folded, std::span(columns).subspan(before));
      } else if (columns.size() != before) {
        refuse("a row is read at its points");
      }
    }
    if (columns.empty()) columns = columns_for_result(loop, access);
    if (!has_columns_) columns_ = columns, has_columns_ = true;
    if (columns != columns_) refuse("rows along different axes");
    return columns;
  }

  /// Normalised rows are gone through from their first point to their last, in order.
  void require_whole(const OperatorLoop& loop, const AxisAccess& access, std::size_t folded,
                     std::span<const std::size_t> columns) const {
    std::int64_t step = 1;
    for (std::size_t k = columns.size(); k-- > 0;) {
      if (access.steps[columns[k]]->step != step) refuse("a row is not gone through in order");
      step *= extents_[columns[k]];
    }
    if (step != loop.space[folded] || access.first[folded] != 0) refuse("only part of a row is read");
  }

  /// A result by row does not say where the points of its row are: axes of the box along which it stands still, or
  /// more.
  std::vector<std::size_t> columns_for_result(const OperatorLoop& loop, const AxisAccess& access) {
    std::vector<std::size_t> columns;
    if (has_columns_) return fitting_columns(loop) ? columns_ : (refuse("rows of different lengths"), columns);
    std::size_t next = 0;
    for (const std::size_t folded : loop.folded) {
      if (loop.space[folded] == 1) continue;
      while (next < access.steps.size() && (access.steps[next] || extents_[next] != loop.space[folded])) ++next;
      if (next == access.steps.size()) break;
      columns.push_back(next++);
    }
    if (columns.size() == rows_axes(loop)) return columns;
    columns.clear();
    for (const std::size_t folded : loop.folded) {
      if (loop.space[folded] == 1) continue;
      columns.push_back(extents_.size());
      extents_.push_back(loop.space[folded]);
      if (extents_.size() > kMostAxes) refuse("too many axes");
    }
    return columns;
  }

  static std::size_t rows_axes(const OperatorLoop& loop) {
    return static_cast<std::size_t>(
        std::ranges::count_if(loop.folded, [&](std::size_t axis) { return loop.space[axis] != 1; }));
  }

  bool fitting_columns(const OperatorLoop& loop) const {
    std::vector<std::int64_t> lengths;
    for (const std::size_t folded : loop.folded)
      if (loop.space[folded] != 1) lengths.push_back(loop.space[folded]);
    if (lengths.size() != columns_.size()) return false;
    for (std::size_t i = 0; i < lengths.size(); ++i)
      if (extents_[columns_[i]] != lengths[i]) return false;
    return true;
  }

  /// The index that an operator reads at: where a point of its result lies, and each point of its row.
  LoopRead read_at(const OperatorLoop& loop, const LoopRead& read, const AxisAccess& access,
                   std::span<const std::size_t> columns) const {
    LoopRead index{.offset = read.offset, .strides = Dims(extents_.size(), 0)};
    for (std::size_t axis = 0; axis < loop.space.size(); ++axis)
      index.offset += access.first[axis] * read.strides[axis];
    for (std::size_t i = 0; i < access.steps.size(); ++i)
      if (access.steps[i]) index.strides[i] = access.steps[i]->step * read.strides[access.steps[i]->axis];
    std::size_t next = 0;
    for (const std::size_t folded : loop.folded)
      if (loop.space[folded] != 1 && loop.writes[folded] == 0) index.strides[columns[next++]] = read.strides[folded];
    return index;
  }

  GroupNest finish();
  void order_axes(LoopNest& nest) const;
  void join_columns(LoopNest& nest) const;

  const LoopGroup& group_;
  Dims extents_;
  LoopBody body_;
  std::vector<LoopStore> stores_;
  std::vector<ValueId> values_;  // by operand
  std::vector<std::int64_t> offsets_;
  std::vector<LoopOperand> operands_;
  bool has_columns_ = false;
  std::vector<std::size_t> columns_;  // axes of the box
  struct Known {
    ValueId id;
    LoopRead index;
    LoopValue value;
  };
  std::vector<Known> known_;
};

/// Rows in the order in which the first output lies in its array, then columns.
void NestWriter::order_axes(LoopNest& nest) const {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < extents_.size(); ++i)
    if (std::ranges::count(columns_, i) == 0) order.push_back(i);
  const Dims& strides = operands_[stores_[0].operand].strides;
  const auto stride = [&](std::size_t axis) { return axis < strides.size() ? strides[axis] : 0; };
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return stride(a) > stride(b); });
  order.insert(order.end(), columns_.begin(), columns_.end());
  const auto ordered = [&](const Dims& dims) {
    Dims result;
    for (const std::size_t axis : order) result.push_back(axis < dims.size() ? dims[axis] : 0);
    return result;
  };
  nest.extents = ordered(extents_);
  for (LoopOperand& operand : nest.operands) operand.strides = ordered(operand.strides);
}

/// Several axes that are folded become the one that rows have.
void NestWriter::join_columns(LoopNest& nest) const {
  for (std::size_t joined = columns_.size(); joined > 1; --joined) {
    const std::size_t inner = nest.extents.size() - 1;
    for (LoopOperand& operand : nest.operands) {
      if (operand.strides[inner - 1] != operand.strides[inner] * nest.extents[inner]) refuse("a row is not one stride");
      operand.strides[inner - 1] = operand.strides[inner];
      operand.strides.pop_back();
    }
    nest.extents[inner - 1] *= nest.extents[inner];
    nest.extents.pop_back();
  }
}

}  // namespace

LoopNest settled_rows(LoopNest nest) {
  std::vector<LoopInstruction> code;
  std::vector<std::uint32_t> number(nest.code.size());
  const auto write = [&](const LoopInstruction& step) {
    code.push_back(step);
    return static_cast<std::uint32_t>(code.size() - 1);
  };
  const auto spread = [&](std::uint32_t value) {
    return write({.op = LoopOp::spread, .type = code[value].type, .values = {value, 0, 0}});
  };
  for (std::size_t i = 0; i < nest.code.size(); ++i) {
    LoopInstruction step = nest.code[i];
    step.per_row = true;
    if (step.op == LoopOp::load) {
      const Dims& strides = nest.operands[step.operand].strides;
      step.per_row = strides[strides.size() - 1] == 0;
    }
    for (std::size_t k = 0; k < operand_count(step.op); ++k) {
      step.values[k] = number[step.values[k]];
      step.per_row &= code[step.values[k]].per_row;
    }
    if (folds_rows(step.op) && code[step.values[0]].per_row) step.values[0] = spread(step.values[0]);
    step.per_row |= folds_rows(step.op);
    number[i] = write(step);
  }
  for (LoopStore& store : nest.stores) {
    const Dims& strides = nest.operands[store.operand].strides;
    store.value = number[store.value];
    if (code[store.value].per_row && strides[strides.size() - 1] != 0) store.value = spread(store.value);
  }
  nest.code = std::move(code);
  return nest;
}

namespace {

GroupNest NestWriter::finish() {
  LoopNest nest{.operands = operands_, .code = body_.code(), .stores = stores_};
  for (LoopOperand& operand : nest.operands)
    while (operand.strides.size() < extents_.size()) operand.strides.push_back(0);
  order_axes(nest);
  const bool folds = nest.has_row_values();
  if (folds && columns_.empty()) {
    nest.extents.push_back(1);
    for (LoopOperand& operand : nest.operands) operand.strides.push_back(0);
  }
  join_columns(nest);
  for (LoopOperand& operand : nest.operands)
    for (std::size_t axis = 0; axis < nest.extents.size(); ++axis)
      if (nest.extents[axis] == 1) operand.strides[axis] = 0;
  while (nest.extents.size() < 2) add_first_axis(nest);
  return {.nest = settled_rows(joined_axes(std::move(nest))), .values = values_, .offsets = offsets_};
}

/// The extents with one of them cut in two.
Dims with_cut(const Dims& extents, const AxisCut& cut) {
  Dims result;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    if (i != cut.axis) {
      result.push_back(extents[i]);
      continue;
    }
    result.push_back(extents[i] / cut.inner);
    result.push_back(cut.inner);
  }
  return result;
}

}  // namespace

GroupNestResult group_nest(const LoopGroup& group) {
  Dims extents = dims_of_value(group.graph, group.outputs[0]);
  for (;;) {
    try {
      return {.nest = NestWriter(group, extents).write(), .refusal = {}};
    } catch (const NestObstacle& obstacle) {
      if (!obstacle.cut) return {.nest = {}, .refusal = obstacle.refusal};
      if (obstacle.cut->axis >= extents.size() || extents.size() >= kMostAxes)
        return {.nest = {}, .refusal = "axes do not fit"};
      extents = with_cut(extents, *obstacle.cut);
    }
  }
}

}  // namespace hone

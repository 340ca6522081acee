#include "run/native/lowering.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "graph/loops/group_nest.h"
#include "run/native/copy_step.h"
#include "run/native/loop_step.h"
#include "run/native/product_step.h"
#include "run/native/reference_step.h"
#include "run/reference/reference.h"

namespace hone::native {
namespace {

std::size_t bytes_of_view(const LoopView& view) {
  return static_cast<std::size_t>(view.offset + span_of(view)) * static_cast<std::size_t>(bit_width(view.element)) / 8;
}

const OperatorLowering* lowering_of(const OpName* op) {
  static const std::vector<const OperatorLowering*> all = LoweringTable::all_entries();
  const auto found = std::ranges::find_if(all, [&](const OperatorLowering* entry) { return op->is(entry->name); });
  return found == all.end() ? nullptr : *found;
}

bool lies_as(const LoopView& a, const LoopView& b) {
  if (a.has_blocks != b.has_blocks) return false;
  for (std::size_t axis = 0; axis < a.dims.size(); ++axis)
    if ((a.dims[axis] > 1 || (a.has_blocks && axis == 1)) && a.strides[axis] != b.strides[axis]) return false;
  return true;
}

/// Whether the last axes of a tensor are those of a result from its third on, with all else lying closer together.
bool has_places_outside(const LoopView& view, const Dims& result) {
  const std::size_t rank = view.dims.size(), places = result.size() - 2;
  if (view.has_blocks || rank <= places) return false;
  for (std::size_t i = 0; i < places; ++i)
    if (view.dims[rank - places + i] != result[2 + i]) return false;
  const std::int64_t least = view.strides[rank - 1];
  bool has_channels = false;
  for (std::size_t axis = 0; axis + places < rank; ++axis) {
    if (view.dims[axis] > 1 && view.strides[axis] >= least) return false;
    has_channels |= view.dims[axis] > 1;
  }
  return has_channels;
}

}  // namespace

Lowering::Lowering(const Model& model, const LoweringOptions& options)
    : model_(model), options_(options), stored_(model.graph.value_count()), groups_of_(model.graph.node_slots()) {
  for (std::size_t i = 0; i < graph().inputs().size(); ++i) {
    const ValueId id = graph().inputs()[i];
    const LoopView view = dense_view(graph().value(id).type.element, dims(id));
    put(id, {.array = add_array({.kind = Array::Kind::input, .bytes = bytes_of_view(view), .constant = {}, .input = i}),
             .view = view});
  }
  if (options_.joining == Joining::in_place) find_concatenations();
}

Dims Lowering::dims(ValueId id) const {
  Dims dims;
  for (const Dim dim : graph().value(id).type.shape) dims.push_back(dim.value());
  return dims;
}

const Tensor* Lowering::constant(ValueId id) const {
  const Value& value = graph().value(id);
  if (const auto computed = computed_.find(id); computed != computed_.end()) return &computed->second;
  return value.constant && !graph().is_input(id) ? &*value.constant : nullptr;
}

Stored Lowering::stored(ValueId id) {
  std::optional<Stored>& known = stored_[id.index()];
  if (!known) {
    HONE_CHECK(graph().value(id).constant || constant(id) != nullptr, "'{}' has not been computed",
               graph().value(id).name);
    const Tensor tensor = elements(id);
    const LoopView view = dense_view(tensor.type(), tensor.dims());
    known = {.array = add_array({.kind = Array::Kind::constant, .bytes = tensor.bytes().size(), .constant = tensor}),
             .view = view};
  }
  return *known;
}

ArrayId Lowering::add_array(Array array) {
  program_.arrays.push_back(std::move(array));
  is_used_.push_back(false);
  return ArrayId(program_.arrays.size() - 1);
}

Stored Lowering::allocate(ValueId id, LoopView view) {
  const auto joint = place_in_concatenation(id, view);
  if (!joint) return allocate_alone(id, view);
  put(id, *joint);
  return *joint;
}

Stored Lowering::allocate_alone(ValueId id, LoopView view) {
  const Stored place{.array = add_array({.bytes = bytes_of_view(view), .constant = {}}), .view = view};
  put(id, place);
  return place;
}

Stored Lowering::allocate_evenly(ValueId id, LoopView view) {
  const auto part = part_of_concatenation(id, view);
  bool is_even = part && (view.strides[1] == 1) == (part->view.strides[1] == 1);
  const std::size_t last = view.dims.size() - 1;
  for (std::size_t axis = 2; is_even && axis < last; ++axis)
    is_even = part->view.strides[axis] * view.strides[last] == view.strides[axis] * part->view.strides[last];
  if (!is_even) return allocate(id, std::move(view));
  put(id, *part);
  return *part;
}

void Lowering::add_step(std::unique_ptr<Step> step, NodeId node, std::string kind) {
  step->name = graph().node(node).name;
  step->kind = std::move(kind);
  append(std::move(step));
}

void Lowering::append(std::unique_ptr<Step> step) {
  step->group = group_;
  step->lane = lane_of_.empty() ? 0 : lane_of_[group_];
  for (const ArrayId array : step->reads()) is_used_[array.index()] = true;
  program_.steps.push_back(std::move(step));
}

Stored Lowering::laid_out(ValueId id, const LoopView& view) {
  const Stored from = stored(id);
  return lies_as(from.view, view) ? from : copied(from, view, graph().value(id).name);
}

Stored Lowering::copied(const Stored& from, const LoopView& view, const std::string& name) {
  const Stored to{.array = add_array({.bytes = bytes_of_view(view), .constant = {}}), .view = view};
  if (element_count(view.dims) == 0) return to;
  std::unique_ptr<Step> step = copy_step(from, to);
  step->name = name;
  step->kind = "copy";
  append(std::move(step));
  return to;
}

Program Lowering::lower(const NodeGroups& groups) {
  for (std::uint32_t i = 0; i < groups.size(); ++i) {
    for (const NodeId node : groups[i].nodes) groups_of_[node.index()].push_back(i);
    lane_of_.push_back(groups[i].lane);
  }
  for (const NodeId id : graph().nodes())
    if (groups_of_[id.index()].empty()) put_constant(id, {});
  for (group_ = 0; group_ < groups.size(); ++group_) lower_group(groups[group_]);
  pack_constants();
  finish_outputs();
  computed_.clear();
  lay_out(program_);
  link_products(program_);
  return std::move(program_);
}

void Lowering::lower_group(const NodeGroup& group) {
  group_nodes_ = group.nodes;
  copies_here_ = {group.copies.begin(), group.copies.end()};
  done_here_.clear();
  std::vector<NodeId> pending;
  for (const NodeId id : group.nodes) {
    if (done_here_.contains(id)) continue;
    const Node& node = graph().node(id);
    const bool is_there = std::ranges::all_of(node.outputs, [&](ValueId o) { return !o.valid() || is_stored(o); });
    if (is_there || lower_as_constant(id) || lower_as_view(id)) {
      mark_done(id);
      continue;
    }
    const bool is_loop = operator_loop(graph(), id, model_.opsets).has_value();
    if (is_loop) {
      pending.push_back(id);
      continue;
    }
    lower_loops(std::move(pending));
    pending.clear();
    if (!lower_as_view(id)) lower_alone(id);
    mark_done(id);
  }
  lower_loops(std::move(pending));
  release_constants(group);
}

/// Movement of something that is there takes no step.
bool Lowering::lower_as_view(NodeId id) {
  const Node& node = graph().node(id);
  struct Moved {
    ValueId output;
    Stored stored;
    bool is_copied = false;
  };
  std::vector<Moved> moved;
  for (std::size_t slot = 0; slot < node.outputs.size(); ++slot) {
    if (!node.outputs[slot].valid()) continue;
    const auto loop = operator_loop(graph(), id, model_.opsets, slot);
    if (!loop || loop->body || !loop->folded.empty()) return false;
    const ValueId input = node.inputs[loop->inputs[0]];
    if (!is_stored(input)) return false;
    const Stored from = stored(input);
    const auto view = moved_view(from.view, *loop);
    // A loop over parts of axes moves elements, but what it gives has other axes.
    if (!view || !(view->dims == dims(node.outputs[slot]))) return false;
    is_used_[from.array.index()] = true;
    const bool is_copied = options_.prologues == Prologues::apart && is_dense(from.view) && !is_dense(*view);
    moved.push_back({node.outputs[slot], {.array = from.array, .view = *view}, is_copied});
  }
  for (const auto& [output, place, is_copied] : moved)
    put(output, is_copied ? copied(place, dense_view(place.view.element, place.view.dims), node.name) : place);
  return true;
}

/// As few nests as possible, each of operators that follow one another.
void Lowering::lower_loops(std::vector<NodeId> pending) {
  while (!pending.empty()) {
    std::size_t count = pending.size();
    while (count > 0 && !lower_as_nest({pending.begin(), pending.begin() + static_cast<std::ptrdiff_t>(count)}))
      --count;
    if (count == 0) {
      lower_alone(pending.front());
      count = 1;
    }
    for (std::size_t i = 0; i < count; ++i) mark_done(pending[i]);
    pending.erase(pending.begin(), pending.begin() + static_cast<std::ptrdiff_t>(count));
    while (!pending.empty() && lower_as_view(pending.front())) {
      mark_done(pending.front());
      pending.erase(pending.begin());
    }
  }
}

bool Lowering::is_wanted(ValueId id, const std::vector<NodeId>& nodes) const {
  const Value& value = graph().value(id);
  const bool is_copy = copies_here_.contains(value.producer);
  if (!is_copy && graph().is_output(id)) return true;
  const auto& homes = groups_of_[value.producer.index()];
  return std::ranges::any_of(graph().users(id), [&](const Use& use) {
    return std::ranges::any_of(groups_of_[use.node.index()], [&](std::uint32_t group) {
      if (group == group_) return std::ranges::count(nodes, use.node) == 0;
      return !is_copy && std::ranges::count(homes, group) == 0;
    });
  });
}

/// What is read elsewhere, the largest first; of equal ones the last.
std::vector<ValueId> Lowering::outputs_of(const std::vector<NodeId>& nodes) const {
  std::vector<ValueId> outputs;
  for (const NodeId id : nodes)
    for (const ValueId output : graph().node(id).outputs)
      if (output.valid() && !is_stored(output) && is_wanted(output, nodes)) outputs.push_back(output);
  std::ranges::reverse(outputs);
  std::ranges::stable_sort(outputs,
                           [&](ValueId a, ValueId b) { return element_count(dims(a)) > element_count(dims(b)); });
  return outputs;
}

/// As something of the same shape lies that it is computed from, or something whose channels are taken apart.
LoopView Lowering::planned_view(ValueId id, const std::vector<NodeId>& nodes) {
  const Dims shape = dims(id);
  const LoopView dense = dense_view(graph().value(id).type.element, shape);
  for (const NodeId node : nodes)
    for (const ValueId input : graph().node(node).written_inputs()) {
      if (!input.valid() || constant(input) != nullptr || !stored_[input.index()]) continue;
      const LoopView& view = stored_[input.index()]->view;
      if (shape.size() < 3 || is_dense(view)) continue;
      if (element_count(view.dims) == element_count(shape) && has_places_outside(view, shape))
        return channels_last_view(dense.element, shape);
      if (!(view.dims == shape)) continue;
      if (view.has_blocks && shape[1] % LoopView::kBlock == 0) return blocked_view(dense.element, shape);
      if (lies_as(view, channels_last_view(view.element, shape))) return channels_last_view(dense.element, shape);
    }
  return dense;
}

bool Lowering::lower_as_nest(const std::vector<NodeId>& nodes) {
  const std::vector<ValueId> outputs = outputs_of(nodes);
  if (outputs.empty()) return true;
  if (element_count(dims(outputs[0])) == 0) {
    for (const ValueId output : outputs) allocate(output, planned_view(output, nodes));
    return true;
  }
  std::map<ValueId, LoopView> planned;
  for (const ValueId output : outputs) planned.emplace(output, planned_view(output, nodes));
  const LoopGroup group{
      .graph = graph(), .opsets = model_.opsets, .nodes = nodes, .outputs = outputs, .view_of = [&](ValueId id) {
        const auto found = planned.find(id);
        return found != planned.end() ? found->second : stored(id).view;
      }};
  if (!group_nest(group).nest) return false;
  for (auto& [output, view] : planned) view = allocate(output, view).view;
  const GroupNestResult written = group_nest(group);
  HONE_CHECK(written.nest.has_value(), "a nest does not fit into its concatenation: {}", written.refusal);
  std::vector<ArrayPlace> places;
  for (std::size_t i = 0; i < written.nest->values.size(); ++i)
    places.push_back(
        {.array = stored(written.nest->values[i]).array,
         .offset_bytes = written.nest->offsets[i] * bit_width(written.nest->nest.operands[i].element) / 8});
  add_step(std::make_unique<LoopStep>(written.nest->nest, std::move(places)), nodes.back(), kind_of(nodes));
  return true;
}

std::string Lowering::kind_of(const std::vector<NodeId>& nodes) const {
  std::vector<std::string_view> names;
  for (const NodeId id : nodes) names.push_back(graph().node(id).op->name);
  if (names.size() > 6) names.resize(6), names.push_back("...");
  return fmt::format("loop {}", fmt::join(names, "+"));
}

void Lowering::lower_alone(NodeId id) {
  if (lower_by_operator(id)) return;
  if (operator_loop(graph(), id, model_.opsets) && lower_as_nest({id})) return;
  // What lies in blocks or across may be what stands in the way.
  for (const ValueId input : graph().node(id).written_inputs())
    if (input.valid() && stored_[input.index()] && !is_dense(stored_[input.index()]->view))
      put(input, laid_out(input, dense_view(graph().value(input).type.element, dims(input))));
  if (operator_loop(graph(), id, model_.opsets) && (lower_as_view(id) || lower_as_nest({id}))) return;
  if (lay_out_rows(id) && lower_as_nest({id})) return;
  lower_by_reference(id, "no code for it");
}

/// Has what an operator folds lie row by row; false where it folds nothing.
bool Lowering::lay_out_rows(NodeId id) {
  const auto loop = operator_loop(graph(), id, model_.opsets);
  if (!loop || loop->folded.empty() || element_count(loop->space) == 0) return false;
  const ValueId input = graph().node(id).inputs[loop->inputs[0]];
  if (!(dims(input) == loop->space)) return false;
  LoopView rows = dense_view(graph().value(input).type.element, loop->space);
  std::int64_t stride = 1;
  for (const bool folded : {true, false})
    for (std::size_t axis = loop->space.size(); axis-- > 0;) {
      if ((std::ranges::count(loop->folded, axis) > 0) != folded) continue;
      rows.strides[axis] = stride;
      stride *= loop->space[axis];
    }
  put(input, laid_out(input, rows));
  return true;
}

bool Lowering::lower_by_operator(NodeId id) {
  const OperatorLowering* own = lowering_of(graph().node(id).op);
  return own != nullptr && own->lower(*this, id);
}

void Lowering::lower_by_reference(NodeId id, const std::string& why) {
  const Node& node = graph().node(id);
  std::vector<ReferenceStep::Operand> inputs, outputs;
  for (const ValueId input : node.inputs) {
    if (!input.valid()) {
      inputs.push_back({.place = {}, .dims = {}, .is_given = false});
      continue;
    }
    const ElementType element = graph().value(input).type.element;
    inputs.push_back({laid_out(input, dense_view(element, dims(input))).place(), element, dims(input), true});
  }
  for (const ValueId output : node.outputs) {
    if (!output.valid()) {
      outputs.push_back({.place = {}, .dims = {}, .is_given = false});
      continue;
    }
    const ElementType element = graph().value(output).type.element;
    const LoopView view = dense_view(element, dims(output));
    outputs.push_back({allocate_alone(output, view).place(), element, dims(output), true});
  }
  program_.notes.push_back(fmt::format("{} runs by its definition: {}", describe(graph(), id), why));
  program_.by_definition.push_back(node.op->text());
  add_step(std::make_unique<ReferenceStep>(model_, id, std::move(inputs), std::move(outputs)), id,
           fmt::format("reference {}", node.op->text()));
}

/// Results lie dense, each in memory of its own that nothing else uses.
void Lowering::finish_outputs() {
  for (const ValueId id : graph().outputs()) {
    const NodeId producer = graph().value(id).producer;
    group_ = producer.valid() && !groups_of_[producer.index()].empty() ? groups_of_[producer.index()].front() : 0;
    Stored place = stored(id);
    const LoopView dense = dense_view(place.view.element, dims(id));
    const bool own = program_.arrays[place.array.index()].kind == Array::Kind::arena;
    if (!own || !is_dense(place.view)) place = copied(place, dense, graph().value(id).name);
    program_.arrays[place.array.index()].is_result = true;
    put(id, place);
    program_.results.push_back({.place = place.place(), .element = place.view.element, .dims = dims(id)});
  }
}

bool Lowering::is_pending(NodeId id) const {
  return !done_here_.contains(id) && std::ranges::count(group_nodes_, id) > 0 && groups_of_[id.index()].size() == 1;
}

std::optional<NodeId> Lowering::only_reader(ValueId id) const {
  const auto users = graph().users(id);
  if (users.size() != 1 || graph().is_output(id) || !is_pending(users[0].node)) return std::nullopt;
  return users[0].node;
}

}  // namespace hone::native

#include "formats/hlo/memory.h"

#include <algorithm>

#include "base/error.h"
#include "formats/hlo/attributes.h"
#include "formats/hlo/cost.h"
#include "formats/hlo/traffic.h"

namespace hone::hlo {

bool is_operation(const Instruction& instruction) {
  switch (instruction.kind()) {
    case OpKind::parameter:
    case OpKind::constant:
    case OpKind::tuple:
    case OpKind::element_of_tuple: return false;
    default: return true;
  }
}

EntryMemory::EntryMemory(const Module& module)
    : module_(module),
      entry_(module.entry_computation()),
      parameters_(module.parameters(entry_)),
      leaf_offsets_(module.shapes.size()) {
  for (Position position = 0; position < entry_.instructions.count; ++position) {
    list_leaves(position);
    leaves_.end_list();
    if (is_operation(instruction(position))) note_readers(position);
  }
  for (const std::uint32_t leaf : leaves_of(position_of(entry_.root))) values_[leaf].is_output = true;
  prepare_memory();
  for (Position position = 0; position < entry_.instructions.count; ++position) {
    share_views(position);
    share_updates(position);
  }
  share_outputs_with_parameters();
}

std::span<const std::uint32_t> EntryMemory::operand_leaves(Position position, std::size_t operand) const {
  return leaves_of(position_of(module_.operands(instruction(position))[operand]));
}

/// Where the leaves of each element of a tuple begin; one more entry than elements.
std::span<const std::uint32_t> EntryMemory::leaf_offsets(ShapeId tuple) {
  std::vector<std::uint32_t>& offsets = leaf_offsets_[tuple.index()];
  if (offsets.empty()) {
    offsets.push_back(0);
    for (const ShapeId element : module_.shape(tuple).elements)
      offsets.push_back(offsets.back() + static_cast<std::uint32_t>(leaves(module_, element).size()));
  }
  return offsets;
}

void EntryMemory::list_leaves(Position position) {
  const Instruction& one = instruction(position);
  if (one.kind() == OpKind::tuple) {
    for (std::size_t i = 0; i < one.operands.count; ++i) {
      const std::vector<std::uint32_t> copied(operand_leaves(position, i).begin(), operand_leaves(position, i).end());
      for (const std::uint32_t leaf : copied) leaves_.add(leaf);
    }
  } else if (one.kind() == OpKind::element_of_tuple) {
    const auto index = static_cast<std::size_t>(integer(module_, one, "index", 0));
    const auto offsets = leaf_offsets(module_.instruction(module_.operands(one)[0]).shape);
    for (std::uint32_t i = offsets[index]; i < offsets[index + 1]; ++i) {
      const std::uint32_t leaf = operand_leaves(position, 0)[i];
      leaves_.add(leaf);
    }
  } else {
    for (const ShapeId leaf : leaves(module_, one.shape)) {
      leaves_.add(static_cast<std::uint32_t>(values_.size()));
      values_.push_back({.shape = leaf, .producer = position});
    }
  }
}

void EntryMemory::note_readers(Position position) {
  for (std::size_t i = 0; i < instruction(position).operands.count; ++i)
    for (const std::uint32_t leaf : operand_leaves(position, i)) {
      std::vector<Position>& readers = values_[leaf].readers;
      if (readers.empty() || readers.back() != position) readers.push_back(position);
    }
}

void EntryMemory::prepare_memory() {
  for (const ArrayValue& value : values_)
    memory_.push_back({.is_writable = is_operation(instruction(value.producer)),
                       .is_output = value.is_output,
                       .last_use = value.readers.empty() ? value.producer : value.readers.back(),
                       .users = value.readers});
  const std::string_view declared = module_.header_attribute("input_output_alias");
  for (const AliasPair& pair : alias_pairs(module_, declared)) {
    if (pair.operand < 0 || pair.operand >= static_cast<std::int64_t>(parameters_.size()))
      fail("{}: input_output_alias names parameter {} of {}", module_.where(declared), pair.operand,
           parameters_.size());
    const Position parameter = position_of(parameters_[static_cast<std::size_t>(pair.operand)]);
    memory_[leaf_at(leaves_of(parameter), instruction(parameter).shape, pair.operand_index)].is_writable = true;
  }
}

/// The leaf a path of tuple indices leads to.
std::uint32_t EntryMemory::leaf_at(std::span<const std::uint32_t> leaves, ShapeId shape,
                                   std::span<const std::int64_t> index) {
  std::uint32_t at = 0;
  for (const std::int64_t step : index) {
    const std::vector<ShapeId>& elements = module_.shape(shape).elements;
    if (step < 0 || step >= static_cast<std::int64_t>(elements.size()))
      fail("{}: an alias names an element that does not exist", module_.file);
    at += leaf_offsets(shape)[static_cast<std::size_t>(step)];
    shape = elements[static_cast<std::size_t>(step)];
  }
  if (at >= leaves.size()) fail("{}: an alias names an array that does not exist", module_.file);
  return leaves[at];
}

std::uint32_t EntryMemory::base_of(std::uint32_t value) const {
  while (values_[value].alias != ArrayValue::kNone) value = values_[value].alias;
  return value;
}

void EntryMemory::view(std::uint32_t value, std::uint32_t of) {
  const std::uint32_t base = base_of(of);
  values_[value].alias = base;
  Memory& memory = memory_[base];
  Memory& added = memory_[value];
  memory.is_output |= added.is_output;
  memory.last_use = std::max(memory.last_use, added.last_use);
  memory.users.insert(memory.users.end(), added.users.begin(), added.users.end());
  added.users = {};
}

bool EntryMemory::reads_result(Position reader, Position producer) const {
  return std::ranges::any_of(leaves_of(producer), [&](std::uint32_t leaf) {
    return std::ranges::binary_search(values_[leaf].readers, reader);
  });
}

/// Lets `value` take over the memory of `victim`, if in file order nothing needs the old contents once `writer` has
/// run.
void EntryMemory::overwrite(std::uint32_t value, std::uint32_t victim, Position writer) {
  Memory& memory = memory_[base_of(victim)];
  const bool is_free = memory.is_writable && !memory.is_output && memory.last_use <= writer;
  if (!is_free || base_of(value) == base_of(victim)) return;
  if (byte_count(module_, values_[value].shape) != byte_count(module_, values_[victim].shape)) return;
  for (const Position user : memory.users)
    if (user != writer && !reads_result(writer, user)) orders_.push_back({.before = user, .after = writer});
  memory.users = {writer};
  memory.last_use = std::max(memory.last_use, writer);
  view(value, victim);
}

void EntryMemory::share_views(Position position) {
  const Instruction& one = instruction(position);
  if (one.kind() == OpKind::collective_start || one.kind() == OpKind::async_start) return share_start(position);
  if (one.kind() == OpKind::async_done) return share_done(position);
  if (!is_view(module_, one)) return;
  const auto made = leaves_of(position);
  const auto given = operand_leaves(position, 0);
  for (std::size_t i = 0; i < std::min(made.size(), given.size()); ++i) view(made[i], given[i]);
}

/// A start hands its operands on beside its results: (operands, results, ...), copy-start as (result, operand, ...);
/// all-reduce-start only has results.
void EntryMemory::share_start(Position position) {
  const Instruction& one = instruction(position);
  const std::size_t element = one.opcode == "copy-start" ? 1 : 0;
  if (one.opcode == "all-reduce-start" || module_.shape(one.shape).elements.size() < 2) return;
  const auto offsets = leaf_offsets(one.shape);
  const auto made = leaves_of(position).subspan(offsets[element], offsets[element + 1] - offsets[element]);
  std::size_t next = 0;
  for (std::size_t i = 0; i < one.operands.count; ++i)
    for (const std::uint32_t given : operand_leaves(position, i))
      if (next < made.size()) view(made[next++], given);
}

void EntryMemory::share_done(Position position) {
  const Instruction& start = module_.instruction(module_.operands(instruction(position))[0]);
  const auto made = leaves_of(position);
  auto given = operand_leaves(position, 0);
  if (made.size() != given.size() && module_.shape(start.shape).elements.size() >= 2) {
    const std::size_t element = instruction(position).opcode == "copy-done" ? 0 : 1;
    given = given.subspan(leaf_offsets(start.shape)[element]);
  }
  for (std::size_t i = 0; i < std::min(made.size(), given.size()); ++i) view(made[i], given[i]);
}

void EntryMemory::share_updates(Position position) {
  const Instruction& one = instruction(position);
  const auto made = leaves_of(position);
  if (one.kind() == OpKind::update_slice &&
      base_of(operand_leaves(position, 1)[0]) != base_of(operand_leaves(position, 0)[0])) {
    overwrite(made[0], operand_leaves(position, 0)[0], position);
  } else if (one.kind() == OpKind::scatter) {
    for (std::size_t i = 0; i < std::min<std::size_t>(made.size(), (one.operands.count - 1) / 2); ++i)
      if (!operand_leaves(position, i).empty()) overwrite(made[i], operand_leaves(position, i)[0], position);
  } else if (one.kind() == OpKind::while_loop) {
    for (std::size_t i = 0; i < made.size(); ++i) overwrite(made[i], operand_leaves(position, 0)[i], position);
  } else if (one.kind() == OpKind::fusion) {
    const auto updated = updated_in_place(module_, module_.computation(module_.callee(one, "calls")));
    for (std::size_t i = 0; i < std::min(made.size(), updated.size()); ++i)
      if (updated[i].valid())
        overwrite(made[i], operand_leaves(position, module_.instruction(updated[i]).parameter_number)[0], position);
  } else if (one.kind() == OpKind::custom_call) {
    const std::string_view declared = module_.attribute(one, "output_to_operand_aliasing");
    for (const AliasPair& pair : alias_pairs(module_, declared)) {
      if (pair.operand < 0 || pair.operand >= one.operands.count)
        fail("{}: '{}' declares an alias of operand {}", module_.where(declared), one.name, pair.operand);
      const auto operand = static_cast<std::size_t>(pair.operand);
      const ShapeId shape = module_.instruction(module_.operands(one)[operand]).shape;
      overwrite(leaf_at(made, one.shape, pair.output_index),
                leaf_at(operand_leaves(position, operand), shape, pair.operand_index), position);
    }
  }
}

void EntryMemory::share_outputs_with_parameters() {
  const Position root = position_of(entry_.root);
  for (const AliasPair& pair : alias_pairs(module_, module_.header_attribute("input_output_alias"))) {
    const Position parameter = position_of(parameters_[static_cast<std::size_t>(pair.operand)]);
    const std::uint32_t victim = leaf_at(leaves_of(parameter), instruction(parameter).shape, pair.operand_index);
    const std::uint32_t output = base_of(leaf_at(leaves_of(root), instruction(root).shape, pair.output_index));
    if (is_operation(instruction(values_[output].producer))) overwrite(output, victim, values_[output].producer);
  }
}

}  // namespace hone::hlo

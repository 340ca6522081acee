#include "plan/emit/hlo_fusion.h"

#include <fmt/format.h>

#include <deque>
#include <unordered_map>
#include <unordered_set>

#include "base/distinct.h"
#include "base/error.h"
#include "formats/hlo/memory.h"
#include "formats/hlo/workload.h"
#include "plan/emit/fused_values.h"

namespace hone {
namespace {

using hlo::Computation;
using hlo::ComputationId;
using hlo::Instruction;
using hlo::InstructionId;
using hlo::Range;
using hlo::ShapeId;

constexpr std::string_view kPredecessors = "control-predecessors";

/// What XLA calls a fusion by what is in it.
std::string_view fusion_kind(const hlo::Module& module, std::span<const InstructionId> body) {
  const auto holds = [&](auto... kinds) {
    return std::ranges::any_of(body,
                               [&](InstructionId id) { return ((module.instruction(id).kind() == kinds) || ...); });
  };
  if (holds(hlo::OpKind::dot, hlo::OpKind::convolution)) return "kOutput";
  return holds(hlo::OpKind::reduce, hlo::OpKind::reduce_window) ? "kInput" : "kLoop";
}

/// Adds to a module's flat lists, with names that nothing in it has yet.
class ModuleExtension {
 public:
  explicit ModuleExtension(const hlo::Module& module)
      : module_(module), texts_(std::make_shared<Texts>(Texts{module.owner, {}})) {
    module_.owner = texts_;
    for (const Instruction& instruction : module.instructions) taken_.insert(instruction.name);
    for (const Computation& computation : module.computations) taken_.insert(computation.name);
  }

  hlo::Module& module() { return module_; }

  /// Text that lives as long as the module.
  std::string_view keep(std::string text) { return texts_->added.emplace_back(std::move(text)); }

  /// `base.N`
  std::string_view new_name(std::string_view base) {
    std::size_t& next = next_number_[std::string(base)];
    for (;;)
      if (std::string name = fmt::format("{}.{}", base, next++); !taken_.contains(name)) {
        const std::string_view kept = keep(std::move(name));
        taken_.insert(kept);
        return kept;
      }
  }

  InstructionId add(const Instruction& instruction) {
    module_.instructions.push_back(instruction);
    return InstructionId(module_.instructions.size() - 1);
  }
  ShapeId add(hlo::Shape shape) {
    module_.shapes.push_back(std::move(shape));
    return ShapeId(module_.shapes.size() - 1);
  }
  Range add(std::span<const InstructionId> operands) { return append(module_.operand_list, operands); }
  Range add(std::span<const hlo::Attribute> attributes) { return append(module_.attribute_list, attributes); }
  Range add(std::span<const hlo::SignatureParameter> signature) { return append(module_.signature_list, signature); }
  Range add_predecessors(std::span<const InstructionId> list) { return append(module_.predecessor_list, list); }

  /// An instruction that the original does not have.
  Instruction make(std::string_view name, std::string_view opcode, ShapeId shape) {
    return {.name = name, .opcode = opcode, .entry = &hlo::opcode_named(opcode), .shape = shape};
  }

 private:
  struct Texts {
    std::shared_ptr<const void> original;
    std::deque<std::string> added;
  };

  template <class T>
  static Range append(std::vector<T>& all, std::span<const T> added) {
    const Range range{static_cast<std::uint32_t>(all.size()), static_cast<std::uint32_t>(added.size())};
    all.insert(all.end(), added.begin(), added.end());
    return range;
  }

  hlo::Module module_;
  std::shared_ptr<Texts> texts_;
  std::unordered_set<std::string_view> taken_;
  std::unordered_map<std::string, std::size_t> next_number_;
};

/// Writes the computations of groups, then the entry computation that calls them.
class GroupFusion {
 public:
  GroupFusion(const hlo::Module& module, const Plan& plan)
      : original_(module),
        values_(module, plan),
        made_(module),
        range_(module.entry_computation().instructions),
        home_(range_.count),
        value_(range_.count),
        run_(range_.count),
        fused_(plan.group_count()) {
    const std::vector<InstructionId> operations = hlo::operation_instructions(module);
    for (std::size_t i = 0; i < operations.size(); ++i) home_[at(operations[i])] = plan.group(OperationId(i));
  }

  hlo::Module run(std::span<const GroupId> order) && {
    hlo::Module& module = made_.module();
    Computation entry = module.entry_computation();
    remove_entry();
    for (const GroupId group : order)
      if (values_.is_fused(group)) fused_[group.index()] = write_computation(group);
    entry.instructions.begin = static_cast<std::uint32_t>(module.instructions.size());
    for (const GroupId group : order) write_group(group);
    for (std::uint32_t i = 0; i < range_.count; ++i) place_names({InstructionId(range_.begin + i)});
    entry.instructions.count = static_cast<std::uint32_t>(module.instructions.size()) - entry.instructions.begin;
    entry.root = value_of(entry.root);
    module.computations.push_back(entry);
    module.entry = ComputationId(module.computations.size() - 1);
    return std::move(module);
  }

 private:
  /// What a group has become: its computation, and what of it leaves.
  struct Fused {
    ComputationId computation;
    ShapeId shape;
    InstructionId root;  // in the computation
  };

  std::size_t at(InstructionId id) const { return id.index() - range_.begin; }
  const Instruction& original(InstructionId id) const { return original_.instruction(id); }

  InstructionId value_of(InstructionId id) const {
    if (!value_[at(id)].valid())
      fail("{}: '{}' is read before the group that it belongs to has run", original_.file, original(id).name);
    return value_[at(id)];
  }

  /// XLA wants callees above their callers: the entry computation will be the last.
  void remove_entry() {
    hlo::Module& module = made_.module();
    module.computations.erase(module.computations.begin() + module.entry.index());
    for (hlo::Callee& callee : module.callee_list)
      if (callee.computation > module.entry) callee.computation = ComputationId(callee.computation.index() - 1);
  }

  Fused write_computation(GroupId group) {
    hlo::Module& module = made_.module();
    Computation computation{.name = made_.new_name("fused_computation"), .has_signature = true};
    computation.instructions.begin = static_cast<std::uint32_t>(module.instructions.size());
    std::unordered_map<std::uint32_t, InstructionId> inside;  // by original
    std::vector<hlo::SignatureParameter> signature;
    for (const InstructionId id : values_.reads(group)) {
      const std::string base = fmt::format("param_{}", signature.size());
      Instruction parameter = made_.make(made_.new_name(base), "parameter", original(id).shape);
      parameter.parameter_number = static_cast<std::uint32_t>(signature.size());
      signature.push_back({.name = parameter.name, .shape = parameter.shape});
      inside[id.index()] = made_.add(parameter);
    }
    for (const InstructionId id : values_.body(group)) {
      Instruction copy = original(id);
      if (home_[at(id)] != group) copy.name = made_.new_name(fmt::format("{}.clone", copy.name));
      std::vector<InstructionId> operands;
      for (const InstructionId operand : original_.operands(copy)) operands.push_back(inside.at(operand.index()));
      copy.operands = made_.add(operands);
      set_predecessors(copy, {});
      inside[id.index()] = made_.add(copy);
    }
    std::vector<InstructionId> leaving;
    for (const InstructionId id : values_.stores(group)) leaving.push_back(inside.at(id.index()));
    computation.root = leaving.size() == 1 ? leaving.front() : write_root(leaving);
    computation.instructions.count =
        static_cast<std::uint32_t>(module.instructions.size()) - computation.instructions.begin;
    computation.result = module.instruction(computation.root).shape;
    computation.signature = made_.add(signature);
    module.computations.push_back(computation);
    return {.computation = ComputationId(module.computations.size() - 1),
            .shape = computation.result,
            .root = computation.root};
  }

  /// A tuple of all that leaves a computation; tuples among it are taken apart, as XLA has none within tuples there.
  InstructionId write_root(std::span<const InstructionId> leaving) {
    std::vector<InstructionId> parts;
    for (const InstructionId id : leaving) {
      if (!made_.module().shape_of(id).is_tuple()) parts.push_back(id);
      else
        for (const InstructionId part : write_elements(id)) parts.push_back(part);
    }
    return write_tuple(made_.new_name("tuple"), parts);
  }

  InstructionId write_tuple(std::string_view name, std::span<const InstructionId> parts) {
    hlo::Shape shape{.type = hlo::PrimitiveType::tuple};
    for (const InstructionId part : parts) shape.elements.push_back(made_.module().instruction(part).shape);
    Instruction tuple = made_.make(name, "tuple", made_.add(std::move(shape)));
    tuple.operands = made_.add(parts);
    return made_.add(tuple);
  }

  std::vector<InstructionId> write_elements(InstructionId tuple) {
    std::vector<InstructionId> elements;
    const std::vector<ShapeId> shapes = made_.module().shape_of(tuple).elements;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      Instruction element = made_.make(made_.new_name("get-tuple-element"), "get-tuple-element", shapes[i]);
      element.operands = made_.add(std::span(&tuple, 1));
      const hlo::Attribute index{.key = "index", .value = made_.keep(fmt::to_string(i))};
      element.attributes = made_.add(std::span(&index, 1));
      elements.push_back(made_.add(element));
    }
    return elements;
  }

  /// The group as one instruction of the entry computation, after the names that it reads.
  void write_group(GroupId group) {
    std::vector<InstructionId> names(values_.reads(group).begin(), values_.reads(group).end());
    for (const InstructionId id : values_.body(group))
      for (const InstructionId before : original_.predecessors(original(id))) names.push_back(before);
    place_names(std::move(names));
    const InstructionId done = values_.is_fused(group) ? write_fusion(group) : copy_to_entry(values_.body(group)[0]);
    for (const InstructionId id : values_.body(group))
      if (home_[at(id)] == group) run_[at(id)] = done;
    const auto stores = values_.stores(group);
    if (stores.size() == 1) {
      value_[at(stores.front())] = done;
      return;
    }
    const std::vector<InstructionId> elements = write_elements(done);
    std::size_t next = 0;
    for (const InstructionId id : stores) {
      const hlo::Shape& shape = original_.shape_of(id);
      if (shape.is_tuple()) {
        value_[at(id)] = write_tuple(made_.new_name("tuple"), std::span(elements).subspan(next, shape.elements.size()));
        next += shape.elements.size();
      } else {
        value_[at(id)] = elements[next++];
      }
    }
  }

  InstructionId write_fusion(GroupId group) {
    const Fused& fused = fused_[group.index()];
    hlo::Module& module = made_.module();
    Instruction fusion = made_.make(made_.new_name("fusion"), "fusion", fused.shape);
    std::vector<InstructionId> operands, predecessors;
    for (const InstructionId id : values_.reads(group)) operands.push_back(value_of(id));
    fusion.operands = made_.add(operands);
    std::vector<hlo::Attribute> attributes{
        {"kind", fusion_kind(original_, values_.body(group))},
        {"calls", made_.keep(fmt::format("%{}", module.computation(fused.computation).name))}};
    const Instruction& last = original(values_.stores(group).back());
    if (const std::string_view metadata = original_.attribute(last, "metadata"); !metadata.empty())
      attributes.push_back({"metadata", metadata});
    attributes.push_back({kPredecessors, ""});
    fusion.attributes = made_.add(attributes);
    for (const InstructionId id : values_.body(group))
      for (const InstructionId before : original_.predecessors(original(id)))
        if (!values_.is_inside(group, before)) predecessors.push_back(runs_as(before));
    set_predecessors(fusion, distinct(std::move(predecessors)));
    return made_.add(fusion);
  }

  /// Where the entry computation now does what an instruction did.
  InstructionId runs_as(InstructionId id) const {
    return hlo::is_operation(original(id)) && run_[at(id)].valid() ? run_[at(id)] : value_of(id);
  }

  InstructionId copy_to_entry(InstructionId id) {
    Instruction copy = original(id);
    std::vector<InstructionId> operands, predecessors;
    for (const InstructionId operand : original_.operands(copy)) operands.push_back(value_of(operand));
    copy.operands = made_.add(operands);
    for (const InstructionId before : original_.predecessors(copy)) predecessors.push_back(runs_as(before));
    set_predecessors(copy, distinct(std::move(predecessors)));
    return made_.add(copy);
  }

  /// Gives an instruction other control edges, in its list and its text.
  void set_predecessors(Instruction& instruction, const std::vector<InstructionId>& predecessors) {
    hlo::Module& module = made_.module();
    instruction.predecessors = made_.add_predecessors(predecessors);
    std::string names;
    for (const InstructionId id : predecessors)
      names += fmt::format("{}%{}", names.empty() ? "" : ", ", module.instruction(id).name);
    std::vector<hlo::Attribute> attributes;
    for (const hlo::Attribute& attribute : module.attributes(instruction)) {
      if (attribute.key != kPredecessors) attributes.push_back(attribute);
      else if (!names.empty()) attributes.push_back({kPredecessors, made_.keep(fmt::format("{{{}}}", names))});
    }
    instruction.attributes = made_.add(attributes);
  }

  /// Writes what is no operation, after what it is made of, unless it stands above or nobody needs it.
  void place_names(std::vector<InstructionId> ids) {
    std::vector<InstructionId> missing;
    while (!ids.empty()) {
      const InstructionId id = ids.back();
      ids.pop_back();
      if (value_[at(id)].valid() || !values_.is_needed(id) || hlo::is_operation(original(id))) continue;
      missing.push_back(id);
      for (const auto before : {original_.operands(original(id)), original_.predecessors(original(id))})
        ids.insert(ids.end(), before.begin(), before.end());
    }
    for (const InstructionId id : distinct(std::move(missing))) value_[at(id)] = copy_to_entry(id);
  }

  const hlo::Module& original_;
  FusedValues values_;
  ModuleExtension made_;
  Range range_;                       // of the original entry computation
  std::vector<GroupId> home_;         // by position in it; none of what is no operation
  std::vector<InstructionId> value_;  // by position: where the new one has that value
  std::vector<InstructionId> run_;    // by position, of operations: what runs it in the new one
  std::vector<Fused> fused_;          // by group
};

}  // namespace

hlo::Module fuse_groups(const hlo::Module& module, const Plan& plan, std::span<const GroupId> order) {
  return GroupFusion(module, plan).run(order);
}

}  // namespace hone

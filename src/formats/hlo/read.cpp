#include "formats/hlo/read.h"

#include <limits>
#include <unordered_map>

#include "base/error.h"
#include "base/text_file.h"
#include "formats/hlo/cursor.h"
#include "formats/hlo/shape_reader.h"
#include "formats/hlo/verify.h"

namespace hone::hlo {
namespace {

/// Keys whose value names computations.
bool names_computations(std::string_view key) {
  static constexpr std::string_view kKeys[] = {
      "to_apply",          "calls",  "body",    "condition",           "true_computation",
      "false_computation", "select", "scatter", "branch_computations", "called_computations"};
  for (const std::string_view known : kKeys)
    if (key == known) return true;
  return false;
}

class Reader {
 public:
  explicit Reader(Module& module)
      : module_(module), cursor_(module.text, module.file), shapes_(cursor_, module.shapes) {}

  void run() {
    read_header();
    while (!cursor_.at_end()) {
      if (!read_section()) read_computation();
    }
    if (module_.computations.empty()) cursor_.fail_expecting("a computation");
    if (!module_.entry.valid()) module_.entry = ComputationId(module_.computations.size() - 1);
    resolve_callees();
  }

 private:
  void read_header() {
    if (!cursor_.accept_word("HloModule")) {  // XLA takes bare computations too
      if (cursor_.at_end()) cursor_.fail_expecting("'HloModule'");
      module_.name = "module";
      return;
    }
    module_.name = cursor_.name("the module's name");
    cursor_.accept(':');  // XLA once wrote one here
    while (cursor_.accept(',')) module_.header.push_back(read_attribute());
  }

  Attribute read_attribute() {
    Attribute attribute;
    attribute.key = cursor_.name("the name of an attribute");
    cursor_.expect('=');
    attribute.value = cursor_.value();
    return attribute;
  }

  /// A table of source positions: numbered lines, each a string or a list in braces.
  bool read_section() {
    static constexpr std::string_view kNames[] = {"FileNames", "FunctionNames", "FileLocations", "StackFrames"};
    for (const std::string_view name : kNames) {
      if (!cursor_.accept_word(name)) continue;
      cursor_.skip_space();
      const std::size_t begin = cursor_.position();
      std::size_t end = begin;
      while (cursor_.peek() >= '0' && cursor_.here() <= '9') {
        cursor_.integer("the number of an entry");
        if (cursor_.peek() == '"') cursor_.quoted();
        else cursor_.bracketed();
        end = cursor_.position();
      }
      module_.sections.push_back({.name = name, .text = module_.text.substr(begin, end - begin)});
      return true;
    }
    return false;
  }

  void read_computation() {
    const bool is_entry = cursor_.accept_word("ENTRY");
    Computation computation;
    computation.name = cursor_.name("a computation");
    const ComputationId id(module_.computations.size());
    if (!computations_.emplace(computation.name, id).second)
      cursor_.fail_at(cursor_.position(), fmt::format("a second computation '{}'", computation.name));
    if (is_entry && module_.entry.valid()) cursor_.fail_at(cursor_.position(), "a second ENTRY computation");
    if (is_entry) module_.entry = id;
    if (cursor_.peek() == '(') read_signature(computation);
    read_body(computation);
    computation.attributes.begin = static_cast<std::uint32_t>(module_.attribute_list.size());
    while (cursor_.accept(',')) module_.attribute_list.push_back(read_attribute());
    computation.attributes.count =
        static_cast<std::uint32_t>(module_.attribute_list.size()) - computation.attributes.begin;
    module_.computations.push_back(computation);
  }

  /// `(x: f32[2], y: f32[]) -> f32[2]`
  void read_signature(Computation& computation) {
    computation.has_signature = true;
    computation.signature.begin = static_cast<std::uint32_t>(module_.signature_list.size());
    cursor_.expect('(');
    while (cursor_.peek() != ')') {
      SignatureParameter parameter;
      parameter.name = cursor_.name("the name of a parameter");
      cursor_.expect(':');
      parameter.shape = shapes_.read();
      module_.signature_list.push_back(parameter);
      ++computation.signature.count;
      if (!cursor_.accept(',')) break;
    }
    cursor_.expect(')');
    cursor_.expect_arrow();
    computation.result = shapes_.read();
  }

  void read_body(Computation& computation) {
    instructions_.clear();
    computation.instructions.begin = static_cast<std::uint32_t>(module_.instructions.size());
    cursor_.expect('{');
    while (!cursor_.accept('}')) {
      const bool is_root = cursor_.accept_word("ROOT");
      const InstructionId id(module_.instructions.size());
      const std::size_t position = cursor_.position();
      if (is_root && computation.root.valid()) cursor_.fail_at(position, "a second ROOT in one computation");
      if (is_root) computation.root = id;
      const Instruction instruction = read_instruction();
      if (!instructions_.emplace(instruction.name, id).second)
        cursor_.fail_at(position, fmt::format("a second instruction '{}' in one computation", instruction.name));
      module_.instructions.push_back(instruction);
      ++computation.instructions.count;
    }
    if (computation.instructions.count == 0)
      cursor_.fail_at(cursor_.position(), fmt::format("computation '{}' has no instructions", computation.name));
    if (!computation.root.valid()) computation.root = InstructionId(module_.instructions.size() - 1);
  }

  /// `%name = shape opcode(operands), key=value, ...`
  Instruction read_instruction() {
    Instruction instruction;
    instruction.name = cursor_.name("an instruction or '}'");
    cursor_.expect('=');
    instruction.shape = shapes_.read();
    instruction.opcode = cursor_.name("an opcode");
    instruction.entry = &opcode_named(instruction.opcode);
    if (cursor_.peek() != '(') cursor_.fail_expecting("'('");
    if (instruction.kind() == OpKind::constant) {
      instruction.literal = cursor_.bracketed();
    } else if (instruction.kind() == OpKind::parameter) {
      read_parameter_number(instruction);
    } else {
      read_operands(instruction);
    }
    read_attributes(instruction);
    return instruction;
  }

  void read_parameter_number(Instruction& instruction) {
    cursor_.expect('(');
    const std::size_t position = cursor_.position();
    const std::int64_t number = cursor_.integer("the number of a parameter");
    // Every parameter is an instruction with text of its own, so the text bounds their number.
    if (number < 0 || static_cast<std::uint64_t>(number) > module_.text.size())
      cursor_.fail_at(position, fmt::format("parameter number {} is out of range", number));
    instruction.parameter_number = static_cast<std::uint32_t>(number);
    cursor_.expect(')');
  }

  void read_operands(Instruction& instruction) {
    instruction.operands.begin = static_cast<std::uint32_t>(module_.operand_list.size());
    cursor_.expect('(');
    while (cursor_.peek() != ')') {
      if (cursor_.here() == '(') {
        shapes_.read();
      } else if (cursor_.here() != '%') {
        const std::size_t position = cursor_.position();
        cursor_.name("an operand");
        const bool is_shape = cursor_.here() == '[' || cursor_.here() == '(';
        cursor_.rewind(position);
        if (is_shape) shapes_.read();
      }
      module_.operand_list.push_back(read_reference("an operand"));
      ++instruction.operands.count;
      if (!cursor_.accept(',')) break;
    }
    cursor_.expect(')');
  }

  /// The name of an instruction further up in the same computation.
  InstructionId read_reference(std::string_view what) {
    cursor_.skip_space();
    const std::size_t position = cursor_.position();
    const std::string_view name = cursor_.name(what);
    const auto found = instructions_.find(name);
    if (found == instructions_.end())
      cursor_.fail_at(position,
                      fmt::format("'{}' is not defined above, expected an instruction of this computation", name));
    return found->second;
  }

  void read_attributes(Instruction& instruction) {
    instruction.attributes.begin = static_cast<std::uint32_t>(module_.attribute_list.size());
    instruction.callees.begin = static_cast<std::uint32_t>(module_.callee_list.size());
    instruction.predecessors.begin = static_cast<std::uint32_t>(module_.predecessor_list.size());
    while (cursor_.accept(',')) {
      const Attribute attribute = read_attribute();
      module_.attribute_list.push_back(attribute);
      ++instruction.attributes.count;
      if (names_computations(attribute.key)) read_names(attribute, [&] { read_callee(instruction, attribute.key); });
      else if (attribute.key == "control-predecessors")
        read_names(attribute, [&] {
          module_.predecessor_list.push_back(read_reference("a control predecessor"));
          ++instruction.predecessors.count;
        });
    }
  }

  /// Goes back to the start of a value that is one name or a list of names in braces, and reads each with `read_one`.
  template <class ReadOne>
  void read_names(const Attribute& attribute, ReadOne read_one) {
    const std::size_t end = cursor_.position();
    cursor_.rewind(static_cast<std::size_t>(attribute.value.data() - module_.text.data()));
    if (cursor_.accept('{')) {
      while (cursor_.peek() != '}') {
        read_one();
        if (!cursor_.accept(',')) break;
      }
      cursor_.expect('}');
    } else {
      read_one();
    }
    cursor_.rewind(end);
  }

  void read_callee(Instruction& instruction, std::string_view role) {
    callee_names_.push_back(cursor_.name("a computation"));
    module_.callee_list.push_back({.role = role});
    ++instruction.callees.count;
  }

  /// Computations may be called above where they are written.
  void resolve_callees() {
    for (std::size_t i = 0; i < callee_names_.size(); ++i) {
      const auto found = computations_.find(callee_names_[i]);
      if (found == computations_.end())
        fail("{}: computation '{}' does not exist", module_.where(callee_names_[i]), callee_names_[i]);
      module_.callee_list[i].computation = found->second;
    }
  }

  Module& module_;
  Cursor cursor_;
  ShapeReader shapes_;
  std::unordered_map<std::string_view, ComputationId> computations_;
  std::unordered_map<std::string_view, InstructionId> instructions_;  // of the computation being read
  std::vector<std::string_view> callee_names_;                        // as Module::callee_list
};

}  // namespace

Module read_file(const std::filesystem::path& path) { return read_loaded(read_text_file(path), path.string()); }

Module read_loaded(TextFile text, std::string file) {
  if (text.text.size() >= std::numeric_limits<std::uint32_t>::max()) fail("{}: HLO text of 4 GiB or more", file);
  Module module;
  module.file = std::move(file);
  module.owner = std::move(text.owner);
  module.text = text.text;
  Reader(module).run();
  verify(module);
  return module;
}

Module read_text(std::string_view text, std::string file) {
  auto copy = std::make_shared<const std::string>(text);
  const std::string_view view = *copy;
  return read_loaded({.owner = std::move(copy), .text = view}, std::move(file));
}

}  // namespace hone::hlo

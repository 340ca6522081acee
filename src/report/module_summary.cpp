#include "report/module_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "formats/hlo/cost.h"
#include "report/fitted.h"
#include "report/table.h"

namespace hone {
namespace {

std::vector<ModuleSummary::Opcode> opcodes_of(const hlo::Module& module, const hlo::Costs& costs) {
  std::map<std::string_view, ModuleSummary::Opcode> found;
  for (const hlo::Instruction& instruction : module.instructions) ++found[instruction.opcode].count;
  const hlo::Range entry = module.entry_computation().instructions;
  for (std::uint32_t i = entry.begin; i < entry.begin + entry.count; ++i) {
    ModuleSummary::Opcode& opcode = found[module.instructions[i].opcode];
    const hlo::Cost& cost = costs.of(hlo::InstructionId(i));
    ++opcode.in_entry;
    opcode.flops += cost.flops;
    opcode.bytes += cost.bytes;
  }
  std::vector<ModuleSummary::Opcode> opcodes;
  for (auto& [name, opcode] : found) {
    opcode.name = name;
    opcodes.push_back(std::move(opcode));
  }
  std::ranges::stable_sort(opcodes, [](const ModuleSummary::Opcode& a, const ModuleSummary::Opcode& b) {
    return a.flops != b.flops ? a.flops > b.flops : a.bytes > b.bytes;
  });
  return opcodes;
}

}  // namespace

ModuleSummary summarize(const hlo::Module& module) {
  const hlo::Costs costs(module);
  const hlo::Cost& whole = costs.of(module.entry);
  ModuleSummary summary{.file = module.file, .module = std::string(module.name)};
  summary.computations = module.computations.size();
  summary.instructions = module.instructions.size();
  for (const hlo::InstructionId id : module.parameters(module.entry_computation())) {
    ++summary.parameters;
    summary.parameter_bytes += hlo::byte_count(module, module.instruction(id).shape);
  }
  summary.result_bytes = hlo::byte_count(module, module.instruction(module.entry_computation().root).shape);
  summary.flops = whole.flops;
  summary.bytes = whole.bytes;
  summary.scheduled = module.is_scheduled();
  summary.opcodes = opcodes_of(module, costs);
  return summary;
}

nlohmann::ordered_json summary_json(const ModuleSummary& summary) {
  auto opcodes = nlohmann::ordered_json::array();
  for (const ModuleSummary::Opcode& each : summary.opcodes)
    opcodes.push_back({{"opcode", each.name},
                       {"count", each.count},
                       {"in_entry", each.in_entry},
                       {"flops", each.flops},
                       {"bytes", each.bytes}});
  return {{"model", summary.file},
          {"format", "hlo"},
          {"module", summary.module},
          {"computations", summary.computations},
          {"instructions", summary.instructions},
          {"parameters", summary.parameters},
          {"parameter_bytes", summary.parameter_bytes},
          {"result_bytes", summary.result_bytes},
          {"flops", summary.flops},
          {"bytes", summary.bytes},
          {"scheduled", summary.scheduled},
          {"opcodes", opcodes}};
}

std::string summary_text(const ModuleSummary& summary) {
  std::string text = summary.file + "\n";
  text += fact("HLO module", summary.module + (summary.scheduled ? ", scheduled" : ", not scheduled"));
  text += fact("computations", fmt::to_string(summary.computations));
  text += fact("instructions", fmt::to_string(summary.instructions));
  text += fact("parameters", fmt::format("{} ({})", summary.parameters, with_prefix(summary.parameter_bytes, "B")));
  text += fact("results", with_prefix(summary.result_bytes, "B"));
  text += fact("arithmetic", with_prefix(summary.flops, "flop"));
  text += fact("memory", with_prefix(summary.bytes, "B") + " read and written");
  Table table({"opcode", "count", "in entry", "arithmetic", "memory"});
  for (const ModuleSummary::Opcode& each : summary.opcodes)
    table.add({each.name, fmt::to_string(each.count), fmt::to_string(each.in_entry), with_prefix(each.flops, "flop"),
               with_prefix(each.bytes, "B")});
  return text + "\n" + table.text();
}

}  // namespace hone

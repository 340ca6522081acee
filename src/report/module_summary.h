#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "formats/hlo/module.h"

namespace hone {

/// What an HLO module is made of and what one run of it costs.
struct ModuleSummary {
  /// All instructions of one opcode.
  struct Opcode {
    std::string name;
    std::size_t count = 0, in_entry = 0;
    double flops = 0, bytes = 0;  // of those in the entry computation, with what they call
  };

  std::string file, module;
  std::size_t computations = 0, instructions = 0, parameters = 0;
  double parameter_bytes = 0, result_bytes = 0;
  double flops = 0, bytes = 0;
  bool scheduled = false;
  std::vector<Opcode> opcodes;  // those with most arithmetic first
};

/// Sums up a module. Throws InputError where a cost cannot be told.
ModuleSummary summarize(const hlo::Module& module);

nlohmann::ordered_json summary_json(const ModuleSummary& summary);
/// The same for people.
std::string summary_text(const ModuleSummary& summary);

}  // namespace hone

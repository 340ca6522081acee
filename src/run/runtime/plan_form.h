#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "graph/ir/model.h"

namespace hone {

struct Machine;
struct Placement;

/// What a plan decides.
enum class PlanDecision : std::uint8_t { groups, devices, order, transfers, offsets };

/// How a runtime takes a plan: files that it reads when it makes a model ready.
class PlanForm {
 public:
  virtual ~PlanForm() = default;
  /// What the user types: `--emit NAME=FOLDER`.
  virtual std::string_view name() const = 0;
  /// A file that every folder has which it wrote.
  virtual std::string_view index_file() const = 0;
  /// What of a plan the runtime obeys; all else it decides by itself.
  virtual std::span<const PlanDecision> obeys() const = 0;
  /// Writes a planned model into a folder, which exists, and says in a sentence what was written.
  virtual std::string write(const Model& model, const Machine& machine, const Placement& placement,
                            const std::filesystem::path& folder) const = 0;
};

}  // namespace hone

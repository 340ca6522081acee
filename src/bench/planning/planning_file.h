#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string_view>

namespace hone {

/// A file of bench/planning/, which says what planning is compared on, as it stands there.
struct PlanningFile {
  std::string_view name, text;
};
std::span<const PlanningFile> planning_files();

/// What the file of that name says.
nlohmann::json planning_file(std::string_view name);

}  // namespace hone

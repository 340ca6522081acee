#include "bench/planning/families.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "bench/planning/planning_file.h"

namespace hone {
namespace {

constexpr std::string_view kRoles[] = {"train", "validation", "test"};
constexpr std::string_view kOrigins[] = {"real", "synthetic"};

template <class Kind>
Kind kind_named(std::span<const std::string_view> names, const std::string& name, std::string_view source) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) fail_usage("{}: '{}' is none of {}", source, name, fmt::join(names, ", "));
  return static_cast<Kind>(found - names.begin());
}

PlanningFamily parse_family(const nlohmann::json& entry, std::string_view source) {
  PlanningFamily family;
  for (const auto& [key, value] : entry.items()) {
    if (key == "name") family.name = value;
    else if (key == "role") family.role = kind_named<FamilyRole>(kRoles, value, source);
    else if (key == "origin") family.origin = kind_named<GraphOrigin>(kOrigins, value, source);
    else if (key == "models") family.models = value;
    else if (key == "modules") family.modules = value;
    else if (key == "graphs") family.graphs = value;
    else fail_usage("{}: unknown key '{}'", source, key);
  }
  return family;
}

}  // namespace

std::string_view name_of(FamilyRole role) { return kRoles[static_cast<std::size_t>(role)]; }
std::string_view name_of(GraphOrigin origin) { return kOrigins[static_cast<std::size_t>(origin)]; }

std::vector<PlanningFamily> parse_families(const nlohmann::json& file, std::string_view source) {
  std::vector<PlanningFamily> families;
  for (const nlohmann::json& entry : file.at("families")) families.push_back(parse_family(entry, source));
  return families;
}

std::vector<PlanningFamily> planning_families() { return parse_families(planning_file("families"), "families.json"); }

}  // namespace hone

#include "bench/planning/planning_file.h"

#include <algorithm>

#include "base/error.h"

namespace hone {

nlohmann::json planning_file(std::string_view name) {
  const auto found = std::ranges::find(planning_files(), name, &PlanningFile::name);
  HONE_CHECK(found != planning_files().end(), "there is no file bench/planning/{}.json", name);
  return nlohmann::json::parse(found->text);
}

}  // namespace hone

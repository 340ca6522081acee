#include "store/database/lookup.h"

#include <array>

namespace hone {

std::string_view describe(Nearness nearness) {
  constexpr std::array<std::string_view, 4> kWords{"this machine and runtime", "another runtime version",
                                                   "another machine", "another machine and runtime version"};
  return kWords[static_cast<std::size_t>(nearness)];
}

Nearness nearness_of(const Setting& wanted, std::string_view hardware, std::string_view software) {
  if (hardware == wanted.hardware) return software == wanted.software ? Nearness::exact : Nearness::other_software;
  return software == wanted.software ? Nearness::other_hardware : Nearness::other_both;
}

std::vector<RunRecord> best_runs(Store& store, std::int64_t of_each) {
  return store.select<RunRecord>(
      "WHERE id IN (SELECT id FROM (SELECT id, ROW_NUMBER() OVER (PARTITION BY graph, hardware, software, kind, unit "
      "ORDER BY value, created_seconds, id) AS place FROM runs WHERE value IS NOT NULL) ranked WHERE place <= $1) "
      "ORDER BY graph, hardware, software, kind, unit, value, created_seconds, id",
      {of_each});
}

}  // namespace hone

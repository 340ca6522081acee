#include "bench/finished_rows.h"

#include "base/version.h"

namespace hone {

FinishedRows::FinishedRows(std::string_view case_name, const std::string& url)
    : kind_("bench " + std::string(case_name)) {
  if (!url.empty()) store_.emplace(url);
}

std::optional<nlohmann::ordered_json> FinishedRows::find(const nlohmann::ordered_json& request) {
  if (!store_) return std::nullopt;
  const auto runs = store_->select<RunRecord>("WHERE kind = $1 AND hardware = $2 ORDER BY created_seconds, id",
                                              {kind_, this_hardware().id});
  for (auto run = runs.rbegin(); run != runs.rend(); ++run)
    if (run->state == Progress::done && run->request == request) return run->outcome;
  return std::nullopt;
}

void FinishedRows::add(const GraphRecord& graph, const nlohmann::ordered_json& request,
                       const nlohmann::ordered_json& row) {
  if (!store_) return;
  const Provenance provenance{graph, this_hardware(), {described({{"runtime", "hone"}, {"version", version()}})}};
  store_->write([&](Writer& writer) {
    writer.add(provenance);
    writer.add(RunRecord{.graph = provenance.graph.id,
                         .hardware = provenance.hardware.id,
                         .software = provenance.software.id,
                         .kind = kind_,
                         .state = Progress::done,
                         .request = request,
                         .outcome = row});
  });
}

}  // namespace hone

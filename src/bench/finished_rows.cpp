#include "bench/finished_rows.h"

#include "base/version.h"

namespace hone {

FinishedRows::FinishedRows(std::string_view case_name, const std::string& url)
    : kind_("bench " + std::string(case_name)) {
  if (url.empty()) return;
  store_.emplace(url);
  for (RunRecord& run : store_->select<RunRecord>("WHERE kind = $1 ORDER BY created_seconds, id", {kind_}))
    if (run.state == Progress::done) rows_[run.request.dump()] = std::move(run.outcome);
}

std::optional<nlohmann::ordered_json> FinishedRows::find(const nlohmann::ordered_json& request) const {
  const auto found = rows_.find(request.dump());
  return found == rows_.end() ? std::nullopt : std::optional(found->second);
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
  rows_[request.dump()] = row;
}

}  // namespace hone

#include "bench/finished_rows.h"

#include "store/records/finished_run.h"

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
  record_run(*store_, graph, {.kind = kind_, .request = request, .outcome = row});
  rows_[request.dump()] = row;
}

}  // namespace hone

#include "store/records/gain_records.h"

#include <map>

#include "store/records/finished_run.h"

namespace hone {
namespace {

constexpr const char* kGainsKind = "rewrite gains";

MeasuredGains gains_in(const RunRecord& record) {
  MeasuredGains gains{.model = record.request.value("model", ""),
                      .runtime = record.request.value("runtime", ""),
                      .seconds = record.outcome.value("seconds", 0.0),
                      .gains = {}};
  for (const Json& each : record.outcome.value("gains", Json::array()))
    gains.gains.push_back({.steps = each.value("steps", std::vector<std::string>()),
                           .log_ratio = each.value("log_ratio", 0.0),
                           .error = each.value("error", 0.0)});
  return gains;
}

}  // namespace

void record_gains(Store& store, const GraphRecord& graph, const MeasuredGains& gains) {
  Json list = Json::array();
  for (const MeasuredGain& each : gains.gains)
    list.push_back({{"steps", each.steps}, {"log_ratio", each.log_ratio}, {"error", each.error}});
  record_run(store, graph,
             {.kind = kGainsKind,
              .request = {{"model", gains.model}, {"runtime", gains.runtime}},
              .outcome = {{"seconds", gains.seconds}, {"gains", list}}});
}

std::vector<MeasuredGains> stored_gains(Store& store) {
  std::map<std::pair<std::string, std::string>, MeasuredGains> newest;
  for (const RunRecord& record :
       store.select<RunRecord>("WHERE kind = $1 ORDER BY created_seconds, id", {std::string(kGainsKind)})) {
    MeasuredGains gains = gains_in(record);
    newest[{gains.model, gains.runtime}] = std::move(gains);
  }
  std::vector<MeasuredGains> all;
  for (auto& [name, gains] : newest) all.push_back(std::move(gains));
  return all;
}

}  // namespace hone

#include "deliver/decision.h"

#include <fmt/format.h>

namespace hone {

std::string speedup_text(const RatioEstimate& ratio) {
  return fmt::format("{:.3f} [{:.3f}, {:.3f}]", ratio.speedup(), 1 / ratio.high, 1 / ratio.low);
}

nlohmann::ordered_json speedup_json(const RatioEstimate& ratio) {
  return {{"median", ratio.speedup()}, {"ci95", {1 / ratio.high, 1 / ratio.low}}, {"claimed", ratio.differs}};
}

nlohmann::ordered_json decisions_json(const DecisionLog& log, Detail detail) {
  auto list = nlohmann::ordered_json::array();
  for (const Decision& each : log) {
    if (detail == Detail::lasting && each.outcome != "kept" && each.outcome != "done") continue;
    nlohmann::ordered_json entry{
        {"stage", each.stage}, {"subject", each.subject}, {"outcome", each.outcome}, {"reason", each.reason}};
    if (detail == Detail::everything && each.ratio) entry["speedup"] = speedup_json(*each.ratio);
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace hone

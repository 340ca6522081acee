#include "deliver/decision.h"

#include <fmt/format.h>

namespace hone {

std::string_view name_of(Stage stage) {
  switch (stage) {
    case Stage::clean: return "clean";
    case Stage::profile: return "profile";
    case Stage::search: return "search";
    case Stage::measure: return "measure";
    case Stage::verify: return "verify";
  }
  return {};
}

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kept: return "kept";
    case Verdict::rejected: return "rejected";
    case Verdict::done: return "done";
    case Verdict::failed: return "failed";
    case Verdict::skipped: return "skipped";
    case Verdict::timed: return "timed";
    case Verdict::no_gain: return "no gain";
    case Verdict::interrupted: return "interrupted";
  }
  return {};
}

std::string speedup_text(const RatioEstimate& ratio) {
  return fmt::format("{:.3f} [{:.3f}, {:.3f}]", ratio.speedup(), 1 / ratio.high, 1 / ratio.low);
}

nlohmann::ordered_json speedup_json(const RatioEstimate& ratio) {
  return {{"median", ratio.speedup()}, {"ci95", {1 / ratio.high, 1 / ratio.low}}, {"claimed", ratio.differs}};
}

nlohmann::ordered_json decisions_json(const DecisionLog& log, Detail detail) {
  auto list = nlohmann::ordered_json::array();
  for (const Decision& each : log) {
    if (detail == Detail::lasting && each.verdict != Verdict::kept && each.verdict != Verdict::done) continue;
    nlohmann::ordered_json entry{{"stage", name_of(each.stage)},
                                 {"subject", each.subject},
                                 {"outcome", name_of(each.verdict)},
                                 {"reason", each.reason}};
    if (detail == Detail::everything && !each.figures.empty()) entry["reason"] = each.reason + "; " + each.figures;
    if (detail == Detail::everything && each.ratio) entry["speedup"] = speedup_json(*each.ratio);
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace hone

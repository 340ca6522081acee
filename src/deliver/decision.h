#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "run/measure/ratio.h"

namespace hone {

/// Where on the way to what is delivered a decision fell.
enum class Stage { clean, profile, search, measure, verify };
std::string_view name_of(Stage stage);

/// What a decision came to.
enum class Verdict { kept, rejected, done, failed, skipped, timed, no_gain, interrupted };
std::string_view name_of(Verdict verdict);

/// One decision on the way to what is delivered, and why it fell as it did.
struct Decision {
  Stage stage = Stage::search;
  std::string subject;  // what was decided on
  Verdict verdict = Verdict::done;
  std::string reason;
  std::optional<RatioEstimate> ratio = {};  // what was measured for it
  std::string figures = {};                 // behind the reason, which need not come out the same again
};

/// Decisions in the order in which they were made.
using DecisionLog = std::vector<Decision>;

/// `1.240 [1.220, 1.261]`: the speed-up with its 95 % interval.
std::string speedup_text(const RatioEstimate& ratio);

/// `{median, ci95, claimed}`.
nlohmann::ordered_json speedup_json(const RatioEstimate& ratio);

/// How much of a log to tell.
enum class Detail {
  everything,
  lasting,  // what was kept or done, without figures: the same again whenever the same is decided
};
nlohmann::ordered_json decisions_json(const DecisionLog& log, Detail detail);

}  // namespace hone

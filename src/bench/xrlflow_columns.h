#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/child_process.h"
#include "bench/catalogue/bench_case.h"
#include "deliver/profile_pricing.h"
#include "rewrite/search/method.h"
#include "run/measure/measurement.h"

namespace hone {

/// One model that all columns rewrite, on one runtime.
struct RewriteContest {
  std::string name;          // of the model
  std::string architecture;  // which no policy may have seen
  Model model;               // cleaned, types inferred
  std::shared_ptr<const Runtime> runtime;
};

/// The columns that are learned policies.
inline constexpr std::string_view kXrlflowColumn = "xrlflow", kAloneColumn = "hone-rewrite",
                                  kTunedColumn = "hone-rewrite tuned", kSearchColumn = "hone-rewrite+search";

/// Rewrites a model by all columns and times what each found, side by side. A row a column: `column`, `run_ms`,
/// `speedup` over the original with its interval, `search_seconds`, `policy`, `graph` that tells results apart.
std::vector<nlohmann::ordered_json> contest_rows(const RewriteContest& contest, const BenchOptions& options);

}  // namespace hone

#include "bench/case_file.h"

#include <nlohmann/json.hpp>
#include <vector>

#include "bench/comparison.h"

namespace hone {
namespace {

/// Every file of bench/cases/ is a case by its name.
std::vector<std::unique_ptr<const BenchCase>> register_case_files() {
  std::vector<std::unique_ptr<const BenchCase>> cases;
  static std::vector<std::string> summaries;
  summaries.reserve(case_files().size());
  for (const CaseFile& file : case_files()) {
    summaries.push_back(nlohmann::json::parse(file.text).at("summary"));
    cases.push_back(
        std::make_unique<const BenchCase>(file.name, summaries.back(), [&file](const BenchOptions& options) {
          return compare(parse_comparison(nlohmann::json::parse(file.text), file.name), options);
        }));
  }
  return cases;
}

const std::vector<std::unique_ptr<const BenchCase>> cases_of_files = register_case_files();

}  // namespace
}  // namespace hone

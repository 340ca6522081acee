#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/registered.h"

namespace hone {

/// What the user gives to `hone bench CASE`.
struct BenchOptions {
  std::filesystem::path data;    // --data: folder of problem instances
  std::filesystem::path models;  // --models: folder of models
  std::string filter;            // --filter: only rows whose name contains this
  std::string store;             // --db: URL of a store of tuning records
  std::uint64_t seed = 0;
  bool quick = false;  // --quick: a shortened run that proves the case works
};

/// What a case prints: one row an item, and the figures it is judged by.
struct BenchReport {
  std::vector<nlohmann::ordered_json> rows;
  nlohmann::ordered_json summary;
};

/// A benchmark the user can name, as the program knows it. Its code is the `BenchRun` of the same name in the library.
class BenchCase : public Registered<BenchCase> {
 public:
  static constexpr std::string_view kCalled = "benchmark case";

  BenchCase(std::string_view name, std::string_view summary) : name_(name), summary_(summary) {}

  std::string_view name() const { return name_; }
  std::string_view summary() const { return summary_; }

 private:
  std::string_view name_, summary_;
};

}  // namespace hone

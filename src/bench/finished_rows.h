#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "store/database/store.h"
#include "store/records/circumstances.h"

namespace hone {

/// Rows of a long benchmark that are done, kept in a store (--db), so that a run that was killed goes on where it
/// ended.
class FinishedRows {
 public:
  /// Keeps nothing when the URL is empty.
  FinishedRows(std::string_view case_name, const std::string& url);

  /// The row that was added for exactly this request on this computer.
  std::optional<nlohmann::ordered_json> find(const nlohmann::ordered_json& request);
  /// `graph` is what the row is about.
  void add(const GraphRecord& graph, const nlohmann::ordered_json& request, const nlohmann::ordered_json& row);

 private:
  std::string kind_;
  std::optional<Store> store_;
};

}  // namespace hone

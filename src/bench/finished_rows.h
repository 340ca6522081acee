#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "store/database/store.h"
#include "store/records/circumstances.h"

namespace hone {

/// Rows of a long benchmark that are done, kept in a store (--db), so that a run that was killed goes on where it
/// ended. A request says all that a row depends on: the computer too, where anything was timed.
class FinishedRows {
 public:
  /// Keeps nothing when the URL is empty.
  FinishedRows(std::string_view case_name, const std::string& url);

  /// The row that was added last for exactly this request.
  std::optional<nlohmann::ordered_json> find(const nlohmann::ordered_json& request) const;
  /// `graph` is what the row is about.
  void add(const GraphRecord& graph, const nlohmann::ordered_json& request, const nlohmann::ordered_json& row);

 private:
  std::string kind_;
  std::optional<Store> store_;
  std::map<std::string, nlohmann::ordered_json> rows_;  // by the text of the request; as many as the store has
};

}  // namespace hone

#pragma once

#include <toml++/toml.h>

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace hone {

/// Reads one TOML table strictly: every key must be asked for, and every value must have the type asked for. Messages
/// name the file and the full key.
class TomlReader {
 public:
  TomlReader(const toml::table& table, std::string where) : table_(table), where_(std::move(where)) {}

  bool has(std::string_view key) const { return table_.contains(key); }

  std::string text(std::string_view key) {
    const auto value = require(key).value<std::string>();
    if (!value || value->empty()) fail_usage("{}{} must be a text", where_, key);
    return *value;
  }
  std::string text_or(std::string_view key, std::string fallback) { return has(key) ? text(key) : fallback; }

  /// A finite number, not negative.
  double number(std::string_view key) { return checked(require(key), fmt::format("{}{}", where_, key)); }
  /// A finite number over zero.
  double positive(std::string_view key) {
    const double value = number(key);
    if (value <= 0) fail_usage("{}{} must be over 0", where_, key);
    return value;
  }
  /// A whole number from 1 to `limit`.
  std::size_t count(std::string_view key, std::size_t limit) {
    const auto value = require(key).value_exact<std::int64_t>();
    if (!value || *value < 1 || static_cast<std::size_t>(*value) > limit)
      fail_usage("{}{} must be a whole number from 1 to {}", where_, key, limit);
    return static_cast<std::size_t>(*value);
  }
  bool flag(std::string_view key) {
    if (!has(key)) return false;
    const auto value = require(key).value_exact<bool>();
    if (!value) fail_usage("{}{} must be true or false", where_, key);
    return *value;
  }

  TomlReader table(std::string_view key) {
    const toml::table* inner = require(key).as_table();
    if (inner == nullptr) fail_usage("{}{} must be a table", where_, key);
    return {*inner, fmt::format("{}{}.", where_, key)};
  }
  /// The tables of an array of tables, `[[key]]`.
  std::vector<TomlReader> tables(std::string_view key) {
    const toml::array* list = require(key).as_array();
    if (list == nullptr) fail_usage("{}{} must be a list of tables, written [[{}]]", where_, key, key);
    std::vector<TomlReader> readers;
    for (const toml::node& item : *list) {
      if (!item.is_table()) fail_usage("{}{} must be a list of tables, written [[{}]]", where_, key, key);
      readers.emplace_back(*item.as_table(), fmt::format("{}{}[{}].", where_, key, readers.size()));
    }
    return readers;
  }
  const toml::array& list(std::string_view key) {
    const toml::array* items = require(key).as_array();
    if (items == nullptr) fail_usage("{}{} must be a list", where_, key);
    return *items;
  }

  std::vector<std::string> keys() const {
    std::vector<std::string> all;
    for (const auto& [key, value] : table_) all.emplace_back(key.str());
    return all;
  }
  /// Where this table stands: `p100.toml: device[0].`.
  const std::string& where() const { return where_; }

  static double checked(const toml::node& node, const std::string& name) {
    const auto value = node.is_number() ? node.value<double>() : std::nullopt;
    if (!value) fail_usage("{} must be a number", name);
    if (!std::isfinite(*value) || *value < 0) fail_usage("{} must be finite and not negative", name);
    return *value;
  }

  /// Throws for a key that nobody asked for: most likely a misspelt one.
  void reject_unknown() const {
    for (const std::string& key : keys())
      if (std::find(asked_.begin(), asked_.end(), key) == asked_.end())
        fail_usage("{}{} is not a known key", where_, key);
  }

 private:
  const toml::node& require(std::string_view key) {
    asked_.emplace_back(key);
    const toml::node* node = table_.get(key);
    if (node == nullptr) fail_usage("{}{} is missing", where_, key);
    return *node;
  }

  const toml::table& table_;
  std::string where_;
  std::vector<std::string> asked_;
};

}  // namespace hone

#pragma once

#include <string>
#include <vector>

namespace hone {

/// A table for people: columns as wide as their widest cell, numbers to the right.
class Table {
 public:
  explicit Table(std::vector<std::string> header) : header_(std::move(header)) {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  bool empty() const { return rows_.empty(); }

  /// Aligned with spaces, for a terminal.
  std::string text() const;
  /// As Markdown.
  std::string markdown() const;

 private:
  std::vector<std::size_t> widths() const;

  std::vector<std::string> header_;
  std::vector<std::vector<std::string>> rows_;
};

/// `1.5 M`, `266 MB`: three digits and a decimal prefix, with the unit.
std::string with_prefix(double value, std::string_view unit);
/// `12.345 ms`.
std::string in_milliseconds(double seconds);

}  // namespace hone

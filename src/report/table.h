#pragma once

#include <optional>
#include <string>
#include <vector>

namespace hone {

/// What becomes of a text that its column has no room for.
enum class Fit {
  shortened,  // its middle is left out
  wrapped,    // it goes on below
};

/// A column of a table: its heading, and how its texts fit. Unless said, those of the last column are wrapped, of all
/// others shortened; figures are neither.
struct TableColumn {
  TableColumn(const char* heading) : name(heading) {}             // NOLINT: a heading alone is a column
  TableColumn(std::string heading) : name(std::move(heading)) {}  // NOLINT
  TableColumn(std::string heading, Fit how) : name(std::move(heading)), fit(how) {}

  std::string name;
  std::optional<Fit> fit = {};
};

/// A table for people: columns as wide as their widest cell, numbers to the right, and no line longer than the
/// terminal's.
class Table {
 public:
  explicit Table(std::vector<TableColumn> header) : header_(std::move(header)) {}
  void add(std::vector<std::string> row);
  bool empty() const { return rows_.empty(); }

  /// Aligned with spaces, for a terminal of so many columns. Texts are shortened or wrapped where they do not fit; what
  /// does not fit even then follows as further tables that begin with the same first column.
  std::string text(std::size_t columns) const;
  /// The same for the terminal that standard output goes to.
  std::string text() const;
  /// As Markdown, however wide.
  std::string markdown() const;

 private:
  /// A column as it is printed.
  struct Shown {
    std::size_t column = 0;
    std::size_t width = 0;
    bool fixed = false;
    Fit fit = Fit::shortened;
  };
  using Block = std::vector<Shown>;

  std::vector<std::size_t> widths() const;
  bool holds_figures(std::size_t column) const;
  std::vector<Block> blocks(std::size_t columns) const;
  std::string block_text(const Block& block) const;

  std::vector<TableColumn> header_;
  std::vector<std::vector<std::string>> rows_;  // all as long as the header
};

/// `1.5 M`, `266 MB`: three digits and a decimal prefix, with the unit.
std::string with_prefix(double value, std::string_view unit);
/// `12.345 ms`.
std::string in_milliseconds(double seconds);

}  // namespace hone

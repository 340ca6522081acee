#include "report/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace hone {
namespace {

bool is_number(const std::string& cell) {
  return !cell.empty() && (std::isdigit(static_cast<unsigned char>(cell[0])) || cell[0] == '-' || cell[0] == '.');
}

/// Characters on screen, which is not bytes for text in UTF-8.
std::size_t width_of(const std::string& cell) {
  return static_cast<std::size_t>(
      std::ranges::count_if(cell, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string padded(const std::string& cell, std::size_t width, bool right) {
  const std::string space(width - std::min(width, width_of(cell)), ' ');
  return right ? space + cell : cell + space;
}

}  // namespace

std::vector<std::size_t> Table::widths() const {
  std::vector<std::size_t> widths;
  for (const std::string& cell : header_) widths.push_back(width_of(cell));
  for (const auto& row : rows_)
    for (std::size_t i = 0; i < row.size() && i < widths.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  return widths;
}

std::string Table::text() const {
  const std::vector<std::size_t> width = widths();
  std::string out;
  const auto line = [&](const std::vector<std::string>& row, const std::vector<std::string>& like) {
    std::string text;
    for (std::size_t i = 0; i < row.size(); ++i)
      text += (i > 0 ? "  " : "") + padded(row[i], width[i], i < like.size() && is_number(like[i]));
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  };
  line(header_, rows_.empty() ? header_ : rows_.front());
  for (const auto& row : rows_) line(row, row);
  return out;
}

std::string Table::markdown() const {
  const std::vector<std::size_t> width = widths();
  std::string out = "|";
  for (std::size_t i = 0; i < header_.size(); ++i) out += " " + padded(header_[i], width[i], false) + " |";
  out += "\n|";
  for (std::size_t i = 0; i < header_.size(); ++i) {
    const bool right = !rows_.empty() && i < rows_.front().size() && is_number(rows_.front()[i]);
    out += std::string(width[i] + 1, '-') + (right ? ":|" : "-|");
  }
  for (const auto& row : rows_) {
    out += "\n|";
    for (std::size_t i = 0; i < row.size(); ++i) out += " " + padded(row[i], width[i], is_number(row[i])) + " |";
  }
  return out + "\n";
}

std::string with_prefix(double value, std::string_view unit) {
  static constexpr std::string_view kPrefixes[] = {"", "k", "M", "G", "T", "P"};
  std::size_t step = 0;
  while (std::fabs(value) >= 999.5 && step + 1 < std::size(kPrefixes)) {
    value /= 1000;
    ++step;
  }
  const int digits = step == 0 && value == std::floor(value) ? 0
                     : std::fabs(value) >= 99.95             ? 0
                     : std::fabs(value) >= 9.995             ? 1
                                                             : 2;
  return fmt::format("{:.{}f} {}{}", value, digits, kPrefixes[step], unit);
}

std::string in_milliseconds(double seconds) { return fmt::format("{:.3f} ms", seconds * 1e3); }

}  // namespace hone

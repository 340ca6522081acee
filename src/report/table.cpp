#include "report/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/terminal.h"
#include "base/text_layout.h"

namespace hone {
namespace {

constexpr std::size_t kGap = 2;              // between columns
constexpr std::size_t kLongestFigure = 36;   // `1.234 [1.201, 1.262] no difference`
constexpr std::size_t kLeastShortened = 14;  // to which a text may be shortened,
constexpr std::size_t kLeastWrapped = 12;    // and in which it may be wrapped

bool is_number(const std::string& cell) {
  return !cell.empty() && (std::isdigit(static_cast<unsigned char>(cell[0])) || cell[0] == '-' || cell[0] == '.');
}

std::string padded(const std::string& cell, std::size_t width, bool right) {
  const std::string space(width - std::min(width, columns_of(cell)), ' ');
  return right ? space + cell : cell + space;
}

/// The width that columns which want `wanted` can all have at most, so that they take no more than `room` together.
std::size_t common_limit(std::vector<std::size_t> wanted, std::size_t room) {
  std::ranges::sort(wanted);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const std::size_t share = room / (wanted.size() - i);
    if (wanted[i] > share) return share;
    room -= wanted[i];
  }
  return wanted.empty() ? 0 : wanted.back();
}

}  // namespace

void Table::add(std::vector<std::string> row) {
  row.resize(header_.size());
  rows_.push_back(std::move(row));
}

std::vector<std::size_t> Table::widths() const {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < header_.size(); ++i) {
    widths.push_back(columns_of(header_[i].name));
    for (const auto& row : rows_) widths[i] = std::max(widths[i], columns_of(row[i]));
  }
  return widths;
}

bool Table::holds_figures(std::size_t column) const {
  return std::ranges::all_of(rows_, [&](const std::vector<std::string>& row) {
    const std::string& cell = row[column];
    return cell.empty() || (is_number(cell) && columns_of(cell) <= kLongestFigure);
  });
}

/// Columns that may stand beside one another, with as much of their width as there is room for.
std::vector<Table::Block> Table::blocks(std::size_t columns) const {
  const std::vector<std::size_t> natural = widths();
  const auto least = [&](const Shown& shown) {
    const std::size_t width = natural[shown.column];
    return shown.fixed ? width : std::min(width, shown.fit == Fit::wrapped ? kLeastWrapped : kLeastShortened);
  };
  std::vector<Block> made(1);
  std::size_t used = 0;
  for (std::size_t i = 0; i < header_.size(); ++i) {
    const Fit fit = header_[i].fit.value_or(i + 1 == header_.size() ? Fit::wrapped : Fit::shortened);
    const Shown shown{.column = i, .width = natural[i], .fixed = !header_[i].fit && holds_figures(i), .fit = fit};
    if (made.back().size() > 1 && used + kGap + least(shown) > columns) {
      const Shown first = made[0][0];  // every block says which row is which
      made.push_back({first});
      used = least(first);
    }
    used += (made.back().empty() ? 0 : kGap) + least(shown);
    made.back().push_back(shown);
  }
  for (Block& block : made) {
    std::size_t room = columns - std::min(columns, kGap * (block.size() - 1));
    std::vector<std::size_t> flexible;
    for (const Shown& shown : block)
      if (shown.fixed) room -= std::min(room, shown.width);
      else flexible.push_back(shown.width);
    const std::size_t limit = common_limit(flexible, room);
    for (Shown& shown : block)
      if (!shown.fixed) shown.width = std::max(std::min(shown.width, limit), std::min<std::size_t>(shown.width, 2));
  }
  return made;
}

std::string Table::block_text(const Block& block) const {
  std::string out;
  const auto print_row = [&](const auto& cell_of) {
    std::vector<std::vector<std::string>> cells;
    std::size_t height = 1;
    for (const Shown& shown : block) {
      const std::string& cell = cell_of(shown.column);
      const bool wraps = shown.fit == Fit::wrapped && !shown.fixed;
      cells.push_back(wraps         ? wrapped(cell, shown.width)
                      : shown.fixed ? std::vector<std::string>{cell}
                                    : std::vector<std::string>{shortened(cell, shown.width)});
      height = std::max(height, cells.back().size());
    }
    for (std::size_t line = 0; line < height; ++line) {
      std::string text;
      for (std::size_t i = 0; i < block.size(); ++i) {
        text += (i > 0 ? std::string(kGap, ' ') : "") +
                padded(line < cells[i].size() ? cells[i][line] : "", block[i].width, block[i].fixed);
      }
      text.erase(text.find_last_not_of(' ') + 1);
      out += text + "\n";
    }
  };
  print_row([&](std::size_t i) -> const std::string& { return header_[i].name; });
  for (const auto& row : rows_) print_row([&](std::size_t i) -> const std::string& { return row[i]; });
  return out;
}

std::string Table::text(std::size_t columns) const {
  std::string out;
  for (const Block& block : blocks(columns)) out += (out.empty() ? "" : "\n") + block_text(block);
  return out;
}

std::string Table::text() const { return text(terminal_columns()); }

std::string Table::markdown() const {
  const std::vector<std::size_t> width = widths();
  std::string out = "|";
  for (std::size_t i = 0; i < header_.size(); ++i) out += " " + padded(header_[i].name, width[i], false) + " |";
  out += "\n|";
  for (std::size_t i = 0; i < header_.size(); ++i) {
    const bool right = !rows_.empty() && is_number(rows_.front()[i]);
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

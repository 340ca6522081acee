#include "base/suggestion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace hone {
namespace {

/// Letters to insert, delete or replace to turn one word into the other.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

constexpr std::size_t kWorthSearching = 3;  // letters with which a part of a name is more than chance
constexpr std::size_t kLongestList = 120;   // characters that a message has room for
constexpr std::size_t kNearest = 3;         // names told of more

/// How far a candidate is from what was typed; one that contains it is near, whatever its length.
std::size_t distance(std::string_view name, std::string_view candidate) {
  const bool is_part = name.size() >= kWorthSearching && candidate.find(name) != std::string_view::npos;
  return is_part ? 1 : edit_distance(name, candidate);
}

}  // namespace

std::string suggestion(std::string_view name, std::span<const std::string_view> candidates) {
  const auto nearest =
      std::ranges::min_element(candidates, {}, [&](std::string_view candidate) { return distance(name, candidate); });
  if (nearest == candidates.end() || distance(name, *nearest) > std::max<std::size_t>(2, name.size() / 3)) return "";
  return fmt::format("; did you mean '{}'?", *nearest);
}

std::string suggestion_or_all(std::string_view name, std::span<const std::string_view> candidates) {
  if (candidates.empty()) return ", there is none";
  if (const std::string nearest = suggestion(name, candidates); !nearest.empty()) return nearest;
  const std::string all = fmt::format("{}", fmt::join(candidates, ", "));
  if (all.size() <= kLongestList) return ", there are " + all;
  std::vector<std::string_view> sorted(candidates.begin(), candidates.end());
  std::ranges::stable_sort(sorted, {}, [&](std::string_view candidate) { return distance(name, candidate); });
  sorted.resize(std::min(sorted.size(), kNearest));
  return fmt::format("; the nearest of {} are {}", candidates.size(), fmt::join(sorted, ", "));
}

}  // namespace hone

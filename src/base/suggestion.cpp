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

}  // namespace

std::string suggestion(std::string_view name, std::span<const std::string_view> candidates) {
  const auto nearest = std::ranges::min_element(
      candidates, {}, [&](std::string_view candidate) { return edit_distance(name, candidate); });
  if (nearest == candidates.end() || edit_distance(name, *nearest) > std::max<std::size_t>(2, name.size() / 3))
    return "";
  return fmt::format("; did you mean '{}'?", *nearest);
}

std::string suggestion_or_all(std::string_view name, std::span<const std::string_view> candidates) {
  const std::string nearest = suggestion(name, candidates);
  return nearest.empty() ? fmt::format(", there are {}", fmt::join(candidates, ", ")) : nearest;
}

}  // namespace hone

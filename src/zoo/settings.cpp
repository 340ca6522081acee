#include "zoo/settings.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/key_values.h"

namespace hone::zoo {
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

SettingValue parse_value(const Parameter& parameter, const KeyValue& choice) {
  const std::string_view text = choice.value;
  if (std::holds_alternative<std::int64_t>(parameter.fallback)) {
    const auto value = number_of<std::int64_t>(choice);
    if (value < parameter.low || value > parameter.high)
      fail_usage("parameter '{}' must be between {} and {}, not {}", parameter.name, parameter.low, parameter.high,
                 value);
    return value;
  }
  if (std::holds_alternative<double>(parameter.fallback)) {
    const auto value = number_of<double>(choice);
    if (!std::isfinite(value)) fail_usage("parameter '{}' must be finite, not '{}'", parameter.name, text);
    return value;
  }
  if (!parameter.choices.empty() && std::ranges::find(parameter.choices, text) == parameter.choices.end())
    fail_usage("parameter '{}' is one of {}, not '{}'", parameter.name, fmt::join(parameter.choices, ", "), text);
  return std::string(text);
}

}  // namespace

std::string suggestion(std::string_view name, std::span<const std::string> candidates) {
  const auto nearest = std::ranges::min_element(
      candidates, {}, [&](const std::string& candidate) { return edit_distance(name, candidate); });
  if (nearest == candidates.end() || edit_distance(name, *nearest) > std::max<std::size_t>(2, name.size() / 3))
    return "";
  return fmt::format("; did you mean '{}'?", *nearest);
}

Parameter depth_parameter(std::string name, std::int64_t fallback, std::string meaning) {
  return {std::move(name), fallback, std::move(meaning), {}, 1, 1024};
}

Parameter length_parameter(std::string name, std::int64_t fallback, std::string meaning) {
  return {std::move(name), fallback, std::move(meaning), {}, 1, 8192};
}

Parameter batch_parameter(std::int64_t fallback) { return {"batch", fallback, "samples in a batch"}; }

Settings::Settings(std::span<const Parameter> parameters) {
  for (const Parameter& parameter : parameters) {
    const bool added = values_.emplace(parameter.name, parameter.fallback).second;
    HONE_CHECK(added, "parameter '{}' is declared twice", parameter.name);
  }
}

void Settings::parse(std::string_view text, std::span<const Parameter> parameters) {
  for (const KeyValue& choice : key_values(text)) {
    const auto found = std::ranges::find(parameters, choice.key, &Parameter::name);
    if (found == parameters.end()) {
      std::vector<std::string> names;
      for (const Parameter& parameter : parameters) names.push_back(parameter.name);
      fail_usage("there is no parameter '{}'{}", choice.key, suggestion(choice.key, names));
    }
    values_.find(choice.key)->second = parse_value(*found, choice);
  }
}

const SettingValue& Settings::at(std::string_view name) const {
  const auto found = values_.find(name);
  HONE_CHECK(found != values_.end(), "parameter '{}' is not declared", name);
  return found->second;
}

}  // namespace hone::zoo

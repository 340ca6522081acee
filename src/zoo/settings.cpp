#include "zoo/settings.h"

#include <limits>
#include <utility>

#include "base/error.h"

namespace hone::zoo {
Parameter depth_parameter(std::string name, std::int64_t fallback, std::string meaning) {
  return {std::move(name), fallback, std::move(meaning), {}, 1, 1024};
}

Parameter length_parameter(std::string name, std::int64_t fallback, std::string meaning) {
  return {std::move(name), fallback, std::move(meaning), {}, 1, 8192};
}

Parameter batch_parameter(std::int64_t fallback) { return {"batch", fallback, "samples in a batch"}; }

Settings::Settings(std::vector<Parameter> parameters) : parameters_(std::move(parameters)) {
  for (const Parameter& parameter : parameters_) {
    const bool added = values_.emplace(parameter.name, parameter.fallback).second;
    HONE_CHECK(added, "parameter '{}' is declared twice", parameter.name);
  }
}

Parameters Settings::list() {
  constexpr Parameters::Range kFinite{-std::numeric_limits<double>::max(), std::numeric_limits<double>::max()};
  Parameters list;
  for (const Parameter& parameter : parameters_) {
    SettingValue& value = values_.find(parameter.name)->second;
    if (auto* word = std::get_if<std::string>(&value))
      list.add(parameter.name, word, parameter.meaning, {parameter.choices.begin(), parameter.choices.end()});
    else if (auto* whole = std::get_if<std::int64_t>(&value))
      list.add(parameter.name, whole, {static_cast<double>(parameter.low), static_cast<double>(parameter.high)},
               parameter.meaning);
    else list.add(parameter.name, std::get_if<double>(&value), kFinite, parameter.meaning);
  }
  return list;
}

const SettingValue& Settings::at(std::string_view name) const {
  const auto found = values_.find(name);
  HONE_CHECK(found != values_.end(), "parameter '{}' is not declared", name);
  return found->second;
}

}  // namespace hone::zoo

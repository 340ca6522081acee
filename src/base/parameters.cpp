#include "base/parameters.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/key_values.h"
#include "base/suggestion.h"

namespace hone {

Parameters& Parameters::add(std::string_view name, Number value, Range range, std::string_view meaning) {
  std::visit([&](auto* target) { fields_.push_back({name, meaning, target, range, {}}); }, value);
  return *this;
}

Parameters& Parameters::add(std::string_view name, std::string* value, std::string_view meaning,
                            std::vector<std::string_view> choices) {
  fields_.push_back({name, meaning, value, {}, std::move(choices)});
  return *this;
}

const Parameters::Field& Parameters::find(std::string_view name) const {
  const auto found = std::ranges::find(fields_, name, &Field::name);
  if (found != fields_.end()) return *found;
  if (fields_.empty()) fail_usage("there is no parameter '{:.60}', nor any other", name);
  std::vector<std::string_view> names;
  for (const Field& field : fields_) names.push_back(field.name);
  fail_usage("there is no parameter '{:.60}'{}", name, suggestion_or_all(name, names));
}

void Parameters::parse(std::string_view text) const {
  for (const KeyValue& choice : key_values(text)) {
    const Field& field = find(choice.key);
    const auto read_number = [&](auto* target) {
      const auto value = number_of<std::remove_reference_t<decltype(*target)>>(choice);
      const auto wide = static_cast<double>(value);
      if (!(wide >= field.range.low && wide <= field.range.high))
        fail_usage("parameter '{}' must be between {} and {}, not {}", field.name, field.range.low, field.range.high,
                   value);
      *target = value;
    };
    const auto read_word = [&](std::string* target) {
      if (!field.choices.empty() && std::ranges::find(field.choices, choice.value) == field.choices.end())
        fail_usage("parameter '{}' is one of {}, not '{:.60}'", field.name, fmt::join(field.choices, ", "),
                   choice.value);
      *target = choice.value;
    };
    if (const auto* word = std::get_if<std::string*>(&field.value)) read_word(*word);
    else if (const auto* whole = std::get_if<std::int64_t*>(&field.value)) read_number(*whole);
    else read_number(std::get<double*>(field.value));
  }
}

std::string Parameters::help() const {
  std::string text;
  for (const Field& field : fields_)
    text +=
        std::visit([&](const auto* value) { return fmt::format("  {}={}  {}\n", field.name, *value, field.meaning); },
                   field.value);
  return text;
}

nlohmann::ordered_json Parameters::json() const {
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  for (const Field& field : fields_)
    std::visit([&](const auto* value) { object[std::string(field.name)] = *value; }, field.value);
  return object;
}

}  // namespace hone

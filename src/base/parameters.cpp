#include "base/parameters.h"

#include <nlohmann/json.hpp>

#include "base/key_values.h"

namespace hone {

const Parameters::Field& Parameters::find(std::string_view name) const {
  std::vector<std::string_view> names;
  for (const Field& field : fields_) {
    if (field.name == name) return field;
    names.push_back(field.name);
  }
  if (names.empty()) fail_usage("there is no parameter '{:.60}', nor any other", name);
  fail_usage("there is no parameter '{:.60}', there are {}", name, fmt::join(names, ", "));
}

void Parameters::parse(std::string_view text) const {
  for (const KeyValue& choice : key_values(text)) {
    const Field& field = find(choice.key);
    const auto read = [&](auto* target) {
      const auto value = number_of<std::remove_reference_t<decltype(*target)>>(choice);
      const auto wide = static_cast<double>(value);
      if (!(wide >= field.range.low && wide <= field.range.high))
        fail_usage("parameter '{}' must be between {} and {}, not {}", field.name, field.range.low, field.range.high,
                   value);
      *target = value;
    };
    std::visit(read, field.value);
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

#include "core/parameters.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "base/error.h"

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
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), item.size() + 1));
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos) fail_usage("expected key=value, found '{:.60}'", item);
    const Field& field = find(item.substr(0, equals));
    const std::string_view number = item.substr(equals + 1);
    const auto read = [&](auto* target) {
      std::remove_reference_t<decltype(*target)> value{};
      const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
      if (error != std::errc() || end != number.data() + number.size())
        fail_usage("parameter '{}' takes a {}, not '{:.60}'", field.name,
                   std::is_integral_v<decltype(value)> ? "whole number" : "number", number);
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

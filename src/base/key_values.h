#pragma once

#include <charconv>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace hone {

/// One choice of a user, as in `population=200`.
struct KeyValue {
  std::string_view key, value;
};

/// The choices in `key=value,key=value`, which must outlive the result. Throws InputError (usage) for what is no such
/// list.
std::vector<KeyValue> key_values(std::string_view text);

/// The number that a choice is. Throws InputError (usage) when it is none.
template <class T>
T number_of(const KeyValue& choice) {
  T number{};
  const auto [key, text] = choice;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size())
    fail_usage("parameter '{:.60}' takes a {}, not '{:.60}'", key, std::is_integral_v<T> ? "whole number" : "number",
               text);
  return number;
}

}  // namespace hone

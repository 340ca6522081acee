#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/parameters.h"

namespace hone::zoo {

/// What a setting holds: a whole number, a number or a word.
using SettingValue = std::variant<std::int64_t, double, std::string>;

/// One thing about a zoo model that its user may choose.
struct Parameter {
  std::string name;
  SettingValue fallback;
  std::string meaning;
  std::vector<std::string> choices = {};  // allowed words; none: any word
  std::int64_t low = 1;                   // of whole numbers, both included
  std::int64_t high = std::int64_t{1} << 20;
};

/// `name`, a number of layers or blocks.
Parameter depth_parameter(std::string name, std::int64_t fallback, std::string meaning);
/// `name`, a number of positions, where something as large as its square is built or every one becomes nodes.
Parameter length_parameter(std::string name, std::int64_t fallback, std::string meaning);
/// `batch`, which nearly every model has.
Parameter batch_parameter(std::int64_t fallback = 1);

/// The value of every parameter of one model: what the user chose, else the default.
class Settings {
 public:
  explicit Settings(std::vector<Parameter> parameters);

  /// Takes `key=value,key=value`. Throws InputError (usage) for an unknown key or a value out of range.
  void parse(std::string_view text) { list().parse(text); }

  std::int64_t integer(std::string_view name) const { return std::get<std::int64_t>(at(name)); }
  std::int64_t operator[](std::string_view name) const { return integer(name); }
  double number(std::string_view name) const { return std::get<double>(at(name)); }
  const std::string& word(std::string_view name) const { return std::get<std::string>(at(name)); }

 private:
  const SettingValue& at(std::string_view name) const;
  Parameters list();

  std::vector<Parameter> parameters_;
  std::map<std::string, SettingValue, std::less<>> values_;
};

}  // namespace hone::zoo

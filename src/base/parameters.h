#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace hone {

/// What a plug-in lets its user choose: a list of the fields of its aggregate of parameters, which is at once what
/// reads `population=200,elite=0.2,policy=mine.safetensors`, the help text and the JSON in reports. The aggregate must
/// outlive the list.
///
///   struct BrkgaParameters {
///     std::int64_t population = 100;
///     Parameters list() { return Parameters().add("population", &population, {4, 1e6}, "chromosomes of a generation");
///     }
///   };
class Parameters {
 public:
  struct Range {
    double low = 0, high = 0;  // both included
  };
  using Number = std::variant<std::int64_t*, double*>;

  /// A number.
  Parameters& add(std::string_view name, Number value, Range range, std::string_view meaning);
  /// A word: one of `choices`, or any, such as a file or a name.
  Parameters& add(std::string_view name, std::string* value, std::string_view meaning,
                  std::vector<std::string_view> choices = {});

  /// Takes `key=value,key=value`. Throws InputError (usage) for an unknown key or a value out of range.
  void parse(std::string_view text) const;
  /// A line a parameter: name, value, meaning.
  std::string help() const;
  nlohmann::ordered_json json() const;

 private:
  struct Field {
    std::string_view name, meaning;
    std::variant<std::int64_t*, double*, std::string*> value;
    Range range;                            // of numbers
    std::vector<std::string_view> choices;  // of words; none: any word
  };
  const Field& find(std::string_view name) const;

  std::vector<Field> fields_;
};

}  // namespace hone

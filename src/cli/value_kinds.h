#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hone {

/// What of the file system a value may name.
enum class NamedPath { none, file, folder };

/// What users write behind an option or as a plain word.
struct ValueKind {
  std::string_view shown;  // how help calls it: `MACHINE`
  NamedPath path = NamedPath::none;
  std::vector<std::string> (*choices)() = nullptr;  // names there are to choose from; null: none
};

/// What an option (`--machine`) or a plain word (`model`) of a command (`plan memory`) takes: what is said of that
/// command, else what the name means everywhere. Null where nothing is known of it.
const ValueKind* value_kind(std::string_view command, std::string_view name);

}  // namespace hone

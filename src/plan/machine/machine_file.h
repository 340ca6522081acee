#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "plan/machine/machine.h"

namespace hone {

/// A machine description that is compiled in: the text of a file under machines/.
struct BuiltinMachine {
  std::string_view name;
  std::string_view text;
};
std::span<const BuiltinMachine> builtin_machines();

/// Reads a TOML description; `source` names it in messages. Throws InputError (exit code 2) naming file and key for
/// anything unknown, missing, negative or not finite.
Machine parse_machine(std::string_view text, std::string_view source);

/// The description itself: of a built-in by name (`p100-4`), of `processors:N`, else of the file at that path.
std::string machine_text(const std::string& name_or_path);

/// The machine a user names: a built-in, `processors:N`, or a path to a TOML file.
Machine load_machine(const std::string& name_or_path);

/// The text form of a machine with one device, as `hw detect` and `hw calibrate` write it; reads back equal.
std::string toml_of_device(const DeviceKind& kind, std::string_view machine_name, std::string_view summary);

}  // namespace hone

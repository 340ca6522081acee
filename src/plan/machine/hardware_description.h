#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

#include "plan/machine/machine.h"

namespace hone {

/// What tells computers apart whose measurements must not be mixed: processor model, instruction sets, sockets, cores
/// and threads, memory, accelerators. The same after a restart, under other load and with another kernel. `root` is
/// where /proc and /sys are.
nlohmann::ordered_json describe_hardware(const std::filesystem::path& root = "/");

/// The same for a machine that a plan is made for: everything its description says about speed and size.
nlohmann::ordered_json describe_hardware(const Machine& machine);

}  // namespace hone

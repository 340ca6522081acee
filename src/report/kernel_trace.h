#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "run/runtime/kernel_profile.h"

namespace hone {

/// A model and what was recorded while it ran.
struct NamedProfile {
  std::string name;
  KernelProfile profile;
};

/// Writes profiles as a trace that Perfetto and Chrome open: a process a model, each kernel a slice with the arguments
/// the runtime gave it.
void write_kernel_trace(const std::filesystem::path& path, const std::vector<NamedProfile>& profiles);

}  // namespace hone

#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "run/runtime/kernel_profile.h"

namespace hone::ort {

/// Reads what `Session::end_profiling` names; throws InputError for what is no such file.
KernelProfile read_profile(const std::filesystem::path& file);
KernelProfile parse_profile(std::string_view text, const std::string& source);

}  // namespace hone::ort

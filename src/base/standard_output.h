#pragma once

#include <filesystem>

namespace hone {

/// The name by which users mean standard output.
bool means_standard_output(const std::filesystem::path& name);

/// Takes standard output for the bytes of one output: what else is printed goes to standard error from now on. Throws
/// InputError (usage) when it is taken already.
void claim_standard_output();

/// The descriptor that bytes for standard output go to.
int standard_output();

}  // namespace hone

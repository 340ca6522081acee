#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/text_file.h"
#include "formats/hlo/module.h"

namespace hone::hlo {

/// Reads a module, plain or packed with gzip or xz, and verifies it. Throws InputError `file:line:column: what,
/// expected what`.
Module read_file(const std::filesystem::path& path);

/// The same from a text already loaded, which the module keeps alive; `file` is only for messages.
Module read_loaded(TextFile text, std::string file);

/// The same from text that is copied; `file` is only for messages.
Module read_text(std::string_view text, std::string file = "<text>");

}  // namespace hone::hlo

#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace hone {

/// Takes what is being done just now, in a few words, for somebody who waits.
using Announcer = std::function<void(const std::string&)>;

/// Shows what is being done on a line of standard error that the next call overwrites. These do nothing where standard
/// error is not a terminal.
void show_progress(std::string_view text);
/// Takes that line away.
void erase_progress();
/// Leaves it standing.
void keep_progress();

}  // namespace hone

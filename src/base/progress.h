#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace hone {

/// Takes what is being done just now, in a few words, for somebody who waits.
using Announcer = std::function<void(const std::string&)>;

/// Whether anybody sees progress: on a terminal unless the user wants it quiet, elsewhere if the user wants it verbose.
bool shows_progress();

/// Shows what is being done on a line of standard error that the next call overwrites; where that is not a terminal,
/// lines stay. These do nothing where progress is not shown.
void show_progress(std::string_view text);
/// Takes that line away.
void erase_progress();
/// Leaves it standing.
void keep_progress();

}  // namespace hone

#include "base/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <vector>

#include "base/terminal.h"
#include "base/text_layout.h"
#include "base/verbosity.h"

namespace hone {
namespace {

bool has_terminal() { return isatty(STDERR_FILENO) != 0; }

void write_to_terminal(std::string_view text) {
  if (!has_terminal() || verbosity() == Verbosity::quiet) return;
  fmt::print(stderr, "{}", text);
  std::fflush(stderr);
}

}  // namespace

bool shows_progress() { return has_terminal() ? verbosity() != Verbosity::quiet : verbosity() == Verbosity::verbose; }

/// A line that went on below would stay there.
void show_progress(std::string_view text) {
  if (!has_terminal() && shows_progress()) fmt::print(stderr, "{}\n", text);
  if (!has_terminal()) return;
  const std::size_t columns = terminal_columns(STDERR_FILENO) - 1;
  const std::vector<std::string> lines = wrapped(text, columns);
  write_to_terminal(
      fmt::format("\r{}{}\033[K", lines.front(), lines.size() > 1 && columns_of(lines.front()) < columns ? "…" : ""));
}

void erase_progress() { write_to_terminal("\r\033[K"); }

void keep_progress() { write_to_terminal("\n"); }

}  // namespace hone

#include "base/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

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

void show_progress(std::string_view text) {
  if (has_terminal()) write_to_terminal(fmt::format("\r{}\033[K", text));
  else if (shows_progress()) fmt::print(stderr, "{}\n", text);
}

void erase_progress() { write_to_terminal("\r\033[K"); }

void keep_progress() { write_to_terminal("\n"); }

}  // namespace hone

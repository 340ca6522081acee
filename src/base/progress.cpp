#include "base/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace hone {
namespace {

void write_to_terminal(std::string_view text) {
  if (isatty(STDERR_FILENO) == 0) return;
  fmt::print(stderr, "{}", text);
  std::fflush(stderr);
}

}  // namespace

void show_progress(std::string_view text) { write_to_terminal(fmt::format("\r{}\033[K", text)); }

void erase_progress() { write_to_terminal("\r\033[K"); }

void keep_progress() { write_to_terminal("\n"); }

}  // namespace hone

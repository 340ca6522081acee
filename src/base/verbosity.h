#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string_view>

namespace hone {

/// How much is said beside results: errors alone, what matters, or also every step.
enum class Verbosity : std::uint8_t { quiet, usual, verbose };

/// What all of the process goes by; `usual` until it is set, which the command line does.
Verbosity verbosity();
void set_verbosity(Verbosity verbosity);

/// Says something beside the results, a line on standard error, unless the user wants it quiet.
void print_note(std::string_view text);

/// The same from a format.
template <class... Args>
void note(fmt::format_string<Args...> format, Args&&... args) {
  print_note(fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace hone

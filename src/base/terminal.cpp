#include "base/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace hone {
namespace {

constexpr std::size_t kUsual = 80;
constexpr std::size_t kFewest = 40;  // nothing can be laid out in less

std::optional<std::size_t> columns_in_environment() {
  const char* text = std::getenv("COLUMNS");
  if (text == nullptr) return std::nullopt;
  const std::string_view digits(text);
  std::size_t columns = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), columns);
  if (error != std::errc() || end != digits.data() + digits.size() || columns == 0) return std::nullopt;
  return columns;
}

std::optional<std::size_t> columns_of_window(int descriptor) {
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return std::nullopt;
  return size.ws_col;
}

}  // namespace

std::size_t terminal_columns(int descriptor) {
  std::optional<std::size_t> columns = columns_in_environment();
  if (!columns) columns = columns_of_window(descriptor);
  return std::max(columns.value_or(kUsual), kFewest);
}

std::size_t terminal_columns() { return terminal_columns(STDOUT_FILENO); }

}  // namespace hone

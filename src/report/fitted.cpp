#include "report/fitted.h"

#include <fmt/format.h>

#include "base/terminal.h"
#include "base/text_layout.h"

namespace hone {

std::string fitted(std::string_view sentence) { return paragraph("", sentence, terminal_columns()); }

std::string fact(std::string_view name, std::string_view text) {
  return paragraph(fmt::format("  {:<12} ", name), text, terminal_columns());
}

}  // namespace hone

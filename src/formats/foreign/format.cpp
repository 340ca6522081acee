#include "formats/foreign/format.h"

#include <algorithm>

namespace hone {
namespace {

constexpr std::string_view kSpace = " \t\r\n";

/// The text without leading white space and whole-line comments.
std::string_view start_of(std::string_view text) {
  while (true) {
    const std::size_t begin = text.find_first_not_of(kSpace);
    if (begin == std::string_view::npos) return {};
    text.remove_prefix(begin);
    if (!text.starts_with('#') && !text.starts_with("//")) return text;
    text.remove_prefix(std::min(text.find('\n'), text.size()));
  }
}

bool is_number(std::string_view word) {
  return !word.empty() && word.find_first_not_of("0123456789.") == std::string_view::npos;
}

/// Whether the next line is a list with commas.
bool lists_follow(std::string_view text) {
  text = start_of(text);
  return text.substr(0, text.find('\n')).find(',') != std::string_view::npos;
}

}  // namespace

std::string_view name_of(ForeignFormat format) {
  static constexpr std::string_view kNames[] = {"unknown", "hlo",        "cost-graph", "msr-fiddle", "pipedream",
                                                "stg",     "minimalloc", "iopddl",     "doppler"};
  return kNames[static_cast<std::size_t>(format)];
}

ForeignFormat detect_format(std::string_view text) {
  constexpr std::size_t kLook = 4096;  // of JSON: enough for its first keys
  text = start_of(text);
  const std::string_view line = text.substr(0, text.find('\n'));
  const std::string_view word = line.substr(0, line.find_first_of(kSpace));
  if (word == "HloModule") return ForeignFormat::hlo;
  if (text.starts_with('{')) {
    const std::string_view head = text.substr(0, kLook);
    if (head.find("FPGA") != std::string_view::npos || head.find("Fpga") != std::string_view::npos)
      return ForeignFormat::fiddle;
    return head.find("\"problem\"") != std::string_view::npos ? ForeignFormat::iopddl : ForeignFormat::unknown;
  }
  if (line.find("forward_compute_time=") != std::string_view::npos) return ForeignFormat::pipedream;
  if (text.starts_with("node")) {
    const std::string_view rest = start_of(text.substr(4));
    if (rest.starts_with('{') || rest.starts_with('<') || rest.starts_with(':')) return ForeignFormat::cost_graph;
  }
  if (line.find("lower") != std::string_view::npos && line.find("upper") != std::string_view::npos &&
      line.find(',') != std::string_view::npos)
    return ForeignFormat::minimalloc;
  if (!is_number(word)) return ForeignFormat::unknown;
  return lists_follow(text.substr(line.size())) ? ForeignFormat::doppler : ForeignFormat::stg;
}

}  // namespace hone

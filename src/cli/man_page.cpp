#include "cli/man_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/version.h"

namespace hone {
namespace {

/// Text as troff prints it: backslashes, and dashes that can be copied.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') out += "\\e";
    else if (c == '-') out += "\\-";
    else out += c;
  }
  return out;
}

/// A line of text, which must not be taken for a request.
std::string plain(std::string_view text) {
  const std::string line = escaped(text);
  return (line.starts_with('.') || line.starts_with('\'') ? "\\&" : "") + line + "\n";
}

std::string bold(std::string_view text) { return fmt::format("\\fB{}\\fR", escaped(text)); }
std::string italic(std::string_view text) { return fmt::format("\\fI{}\\fR", escaped(text)); }

std::string page_name(const DescribedCommand& command) {
  std::string name = command.title();
  std::ranges::replace(name, ' ', '-');
  return name;
}

std::string entry(const std::string& label, std::string_view text) {
  return fmt::format(".TP\n{}\n{}", label, plain(text));
}

std::string option_entry(const DescribedOption& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.names) names.push_back(bold(name));
  std::string label = fmt::format("{}", fmt::join(names, ", "));
  if (!option.value.empty()) label += " " + italic(option.value);
  return entry(label, option.text);
}

std::string commands_section(const DescribedCommand& command) {
  std::string text = command.commands.empty() ? "" : ".SH COMMANDS\n";
  for (const DescribedCommand& below : command.commands) text += entry(bold(page_name(below)) + "(1)", below.summary);
  return text;
}

std::string examples_section(const DescribedCommand& command) {
  std::string text = command.examples.empty() ? "" : ".SH EXAMPLES\n";
  for (const Example& example : command.examples) text += entry(bold(example.line), example.purpose);
  return text;
}

}  // namespace

std::string man_file(const DescribedCommand& command) { return page_name(command) + ".1"; }

std::string man_page(const DescribedCommand& command) {
  std::string title = page_name(command);
  std::ranges::transform(title, title.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  std::string page = fmt::format(".TH {} 1 \"\" \"hone {}\" \"Hone\"\n", escaped(title), escaped(version()));
  page += fmt::format(".SH NAME\n{} \\- {}", escaped(page_name(command)), plain(command.summary));
  page += ".SH SYNOPSIS\n" + plain(usage_of(command));
  if (!command.words.empty()) page += ".SH ARGUMENTS\n";
  for (const DescribedOption& word : command.words) page += entry(italic(word.value), word.text);
  page += ".SH OPTIONS\n";
  for (const DescribedOption& option : command.options) page += option_entry(option);
  page += commands_section(command) + examples_section(command);
  page += ".SH EXIT STATUS\n0 when done; 2 for a wrong command line; docs/exit\\-codes.md lists all.\n";
  return page + ".SH SEE ALSO\n" + bold("hone help") + "\n";
}

}  // namespace hone

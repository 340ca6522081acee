#include "cli/help_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/columns.h"

namespace hone {
namespace {

constexpr std::size_t kOptionColumn = 26, kCommandColumn = 15, kExampleColumn = 50;
constexpr std::size_t kLeastPurpose = 20, kBelowColumn = 6;  // where an example leaves no room beside it

/// `-o, --output FILE`.
std::string option_label(const DescribedOption& option) {
  return fmt::format("{}{}{}", fmt::join(option.names, ", "), option.value.empty() ? "" : " ", option.value);
}

std::string words_text(const std::vector<DescribedOption>& words) {
  std::string text = words.empty() ? "" : "\nArguments:\n";
  for (const DescribedOption& word : words) text += beside(word.value, word.text, kOptionColumn);
  return text;
}

std::string options_text(const std::vector<DescribedOption>& options) {
  std::string text = options.empty() ? "" : "\nOptions:\n";
  for (const DescribedOption& option : options) text += beside(option_label(option), option.text, kOptionColumn);
  return text;
}

std::string last_word(const std::string& path) { return path.substr(path.rfind(' ') + 1); }

/// Commands under the heading of their group, in the order in which they were declared.
std::string commands_text(const std::vector<DescribedCommand>& commands) {
  std::string text, group;
  for (const DescribedCommand& command : commands) {
    if (command.group != group) text += fmt::format("\n{}:\n", command.group);
    group = command.group;
    text += beside(last_word(command.path), command.summary, kCommandColumn);
  }
  return text;
}

std::string examples_text(const std::vector<Example>& examples) {
  std::string text = examples.empty() ? "" : "\nExamples:\n";
  for (const Example& example : examples) {
    const bool fits = example.line.size() + 4 <= kExampleColumn && page_width() >= kExampleColumn + kLeastPurpose;
    text += beside(example.line, example.purpose, fits ? kExampleColumn : kBelowColumn);
  }
  return text;
}

}  // namespace

std::string help_text(const DescribedCommand& command) {
  std::string text = wrapped(command.summary, page_width()) + "\n";
  text += wrapped("Usage: " + usage_of(command), page_width()) + "\n";
  text += words_text(command.words) + options_text(command.options) + commands_text(command.commands);
  return text + examples_text(command.examples);
}

}  // namespace hone

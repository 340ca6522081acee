#include "cli/described_command.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone {
namespace {

std::string path_of(const CLI::App& command) {
  if (command.get_parent() == nullptr) return "";
  const std::string above = path_of(*command.get_parent());
  return above.empty() ? command.get_name() : above + " " + command.get_name();
}

/// A set that the parser checks a value against, `TEXT:{cpu,cuda}` in the type's name.
std::vector<std::string> checked_choices(const std::string& type) {
  const std::size_t begin = type.find(":{"), end = type.rfind('}');
  if (begin == std::string::npos || end == std::string::npos) return {};
  return CLI::detail::split(type.substr(begin + 2, end - begin - 2), ',');
}

/// What help calls a value of which only the type is known.
std::string value_of_type(const std::string& type) {
  if (type.starts_with("UINT") || type.starts_with("INT")) return "N";
  if (type.starts_with("FLOAT")) return "NUMBER";
  return "TEXT";
}

std::string upper_case(std::string word) {
  std::ranges::transform(word, word.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return word;
}

std::string text_with_default(const CLI::Option& option) {
  std::string text = option.get_description();
  if (const std::string fallback = option.get_default_str(); !fallback.empty())
    text += fmt::format(" (default: {})", fallback);
  if (option.get_required() && !option.get_positional()) text += " (required)";
  return text;
}

DescribedOption describe_option(const CLI::Option& option, const std::string& command) {
  DescribedOption described{.text = text_with_default(option), .required = option.get_required()};
  for (const std::string& name : option.get_snames()) described.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) described.names.push_back("--" + name);
  if (option.get_positional()) described.names = {option.get_name(true)};
  if (option.get_items_expected_max() == 0) return described;
  described.repeated = option.get_expected_max() > 1;
  described.value = value_of_type(option.get_type_name());
  described.choices = checked_choices(option.get_type_name());
  if (const ValueKind* kind = value_kind(command, described.names.back())) {
    described.value = kind->shown;
    described.path = kind->path;
    if (kind->choices != nullptr) described.choices = kind->choices();
  }
  if (option.get_positional()) described.value = upper_case(described.names.front());
  return described;
}

}  // namespace

DescribedCommand describe(const CLI::App& command) {
  const bool is_verb = command.get_parent() != nullptr && command.get_parent()->get_parent() == nullptr;
  DescribedCommand described{.path = path_of(command),
                             .summary = command.get_description(),
                             .group = is_verb ? command.get_group() : "Commands",
                             .examples = examples_of(command)};
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group().empty()) continue;
    auto& list = option->get_positional() ? described.words : described.options;
    list.push_back(describe_option(*option, described.path));
  }
  for (const CLI::App* below : command.get_subcommands([](const CLI::App*) { return true; }))
    described.commands.push_back(describe(*below));
  return described;
}

std::string usage_of(const DescribedCommand& command) {
  std::string usage = command.title();
  const bool is_choice = command.words.empty() && !command.commands.empty();
  usage += is_choice ? " COMMAND" : " [OPTIONS]";
  for (const DescribedOption& word : command.words) {
    const std::string shown = word.value + (word.repeated ? "..." : "");
    usage += word.required ? " " + shown : fmt::format(" [{}]", shown);
  }
  return usage;
}

std::vector<const DescribedCommand*> all_commands(const DescribedCommand& command) {
  std::vector<const DescribedCommand*> all{&command};
  for (const DescribedCommand& below : command.commands)
    for (const DescribedCommand* each : all_commands(below)) all.push_back(each);
  return all;
}

}  // namespace hone

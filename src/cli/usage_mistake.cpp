#include "cli/usage_mistake.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "base/suggestion.h"

namespace hone {
namespace {

/// The command that the words led to, and how the user calls it.
struct Called {
  const CLI::App* command = nullptr;
  std::string name;  // `hone rules verify`
};

Called called_in(const CLI::App& app) {
  Called called{.command = &app, .name = app.get_name()};
  while (!called.command->get_subcommands().empty()) {
    called.command = called.command->get_subcommands().back();
    called.name += " " + called.command->get_name();
  }
  return called;
}

bool looks_like_option(std::string_view word) { return word.size() > 1 && word[0] == '-' && !std::isdigit(word[1]); }

/// All spellings of all options of a command.
std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

std::string near_or_all(std::string_view name, const std::vector<std::string>& candidates) {
  const std::vector<std::string_view> views(candidates.begin(), candidates.end());
  return suggestion_or_all(name, views);
}

std::vector<std::string> command_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* each : command.get_subcommands({})) names.push_back(each->get_name());
  return names;
}

/// About the first word that nobody took; nothing where all were.
std::string unknown_word(const Called& called) {
  const std::vector<std::string> words = called.command->remaining();
  if (words.empty()) return {};
  const auto option = std::ranges::find_if(words, looks_like_option);
  if (option != words.end()) {
    const std::string name = option->substr(0, option->find('='));
    const std::vector<std::string> names = option_names(*called.command);
    const std::vector<std::string_view> views(names.begin(), names.end());
    return fmt::format("{} has no option '{:.60}'{} (`{} --help` lists all)", called.name, name,
                       suggestion(name, views), called.name);
  }
  const std::vector<std::string> commands = command_names(*called.command);
  if (commands.empty())
    return fmt::format("'{:.60}' is one word too many; `{} --help` shows what it takes", words.front(), called.name);
  const std::string what = called.command->get_parent() == nullptr ? "" : fmt::format(" of {}", called.name);
  return fmt::format("unknown command '{:.60}'{}{}", words.front(), what, near_or_all(words.front(), commands));
}

/// The option that a message of the parser is about: the longest name that stands where the parser puts it.
const CLI::Option* option_in(const CLI::App& command, std::string_view message) {
  const CLI::Option* found = nullptr;
  for (const CLI::App* app = &command; app != nullptr; app = app->get_parent())
    for (const CLI::Option* option : app->get_options()) {
      const std::string name = option->get_name();
      const bool is_meant = message.starts_with(name + ":") || message.starts_with(name + " ") ||
                            message.find(": " + name + " =") != std::string_view::npos ||
                            message.find(" to " + name + ",") != std::string_view::npos ||
                            message.ends_with(" for " + name);
      if (is_meant && (found == nullptr || name.size() > found->get_name().size())) found = option;
    }
  return found;
}

/// What stands between two texts in a third; empty when they do not.
std::string between(const std::string& text, std::string_view open, std::string_view close) {
  const std::size_t begin = text.find(open);
  if (begin == std::string::npos) return {};
  const std::size_t end = text.find(close, begin + open.size());
  return end == std::string::npos ? std::string() : text.substr(begin + open.size(), end - begin - open.size());
}

/// `a whole number from 1 to 1024`, from what the parser knows of an option.
std::string taken_by(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const bool counts = type.starts_with("UINT"), is_whole = counts || type.find("INT") != std::string::npos;
  const std::string number = is_whole ? "a whole number" : "a number";
  if (const std::string range = between(type, " in [", "]"); !range.empty()) {
    const std::size_t dash = range.find(" - ");
    return fmt::format("{} from {} to {}", number, range.substr(0, dash), range.substr(dash + 3));
  }
  if (type.find("POSITIVE") != std::string::npos) return number + " above 0";
  if (type.find("NONNEGATIVE") != std::string::npos || counts) return number + " of at least 0";
  return number;
}

/// The words one of which an option takes; empty where it takes others.
std::vector<std::string> words_taken_by(const CLI::Option& option) {
  return CLI::detail::split(between(option.get_type_name(), "{", "}"), ',');
}

std::string wrong_value(const CLI::Option& option) {
  const std::string name = option.get_name();
  if (option.get_expected_max() == 0) return name + " takes no value";  // a flag
  const std::string value = fmt::format("{}", fmt::join(option.results(), " "));
  const std::vector<std::string> choices = words_taken_by(option);
  if (choices.empty() || choices.front().empty())
    return fmt::format("{} takes {}, not '{:.60}'", name, taken_by(option), value);
  const auto wrong = std::ranges::find_if(
      option.results(), [&](const std::string& each) { return std::ranges::find(choices, each) == choices.end(); });
  const std::string& word = wrong == option.results().end() ? value : *wrong;
  return fmt::format("{} does not take '{:.60}'{}", name, word, near_or_all(word, choices));
}

/// What an option is for, up to the first stop.
std::string purpose_of(const CLI::Option& option) {
  const std::string& text = option.get_description();
  return text.substr(0, text.find_first_of(";:"));
}

std::string missing(const CLI::Option& option, const Called& called) {
  return fmt::format("{} needs {} ({:.100}); `{} --help` shows how it is called", called.name, option.get_name(),
                     purpose_of(option), called.name);
}

std::string wrong_count(const CLI::Option& option, std::string_view message) {
  const std::string name = option.get_name();
  if (message.find("flag override") != std::string_view::npos) return name + " takes no value";
  if (option.count() > 1 || message.find("At Most") != std::string_view::npos) return name + " can be given only once";
  return fmt::format("{} needs a value ({:.100})", name, purpose_of(option));
}

/// The names before and behind a verb in the middle of a message.
std::pair<std::string, std::string> around(const std::string& message, std::string_view verb) {
  const std::size_t at = message.find(verb);
  return {message.substr(0, at), at == std::string::npos ? "" : message.substr(at + verb.size())};
}

}  // namespace

std::string usage_mistake(const CLI::ParseError& error, const CLI::App& app) {
  const Called called = called_in(app);
  const std::string message = error.what();
  if (const std::string unknown = unknown_word(called); !unknown.empty()) return unknown;
  const CLI::Option* option = option_in(*called.command, message);
  const auto is = [&](const char* kind) { return error.get_name() == kind; };
  if (is("ExcludesError")) {
    const auto [first, second] = around(message, " excludes ");
    return fmt::format("{} and {} do not go together: give one of them", first, second);
  }
  if (is("RequiresError")) {
    const auto [first, second] = around(message, " requires ");
    return fmt::format("{} means something only with {}: give both or neither", first, second);
  }
  if (is("RequiredError") && option != nullptr) return missing(*option, called);
  if (is("RequiredError"))
    return fmt::format("{} needs a command: one of {}", called.name, fmt::join(command_names(*called.command), ", "));
  if (option != nullptr && (is("ValidationError") || is("ConversionError"))) return wrong_value(*option);
  if (option != nullptr && is("ArgumentMismatch")) return wrong_count(*option, message);
  return fmt::format("this is not how {} is called; `{} --help` shows it", called.name, called.name);
}

}  // namespace hone

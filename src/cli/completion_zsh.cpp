#include <fmt/format.h>

#include "cli/completion_script.h"

namespace hone {
namespace {

/// A word in single quotes.
std::string zsh_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

/// `'name:what it is'`, as `_describe` takes it; the names have no colon.
std::string with_description(const std::string& name, const std::string& text) {
  return zsh_quoted(name + ":" + text) + " ";
}

/// What `_files` is told; nothing where there are none to offer.
std::string_view files_word(NamedPath path) {
  if (path == NamedPath::none) return "";
  return path == NamedPath::file ? "file" : "folder";
}

std::string zsh_arm(const DescribedCommand& command) {
  std::string options, below, arms;
  for (const DescribedOption& option : command.options) {
    for (const std::string& name : option.names) options += with_description(name, option.text);
    if (option.value.empty()) continue;
    arms += fmt::format("        ({}) choices=({}) paths={} options=() ;;\n", fmt::join(option.names, "|"),
                        fmt::join(option.choices, " "), files_word(option.path));
  }
  for (const DescribedCommand& each : command.commands)
    below += with_description(each.path.substr(each.path.rfind(' ') + 1), each.summary);
  const PlainWords words = plain_words(command);
  arms += fmt::format("        (*) commands=({}) choices=({}) paths={} ;;\n", below, fmt::join(words.choices, " "),
                      files_word(words.path));
  return fmt::format("    ({})\n      options=({})\n      case $before in\n{}      esac ;;\n",
                     zsh_quoted(script_path(command)), options, arms);
}

constexpr const char* kZshBegin = R"(#compdef hone
# Completion of hone in zsh: source <(hone completion zsh), or a file _hone in a folder of $fpath
_hone() {
  local where= word before=$words[CURRENT-1] current=$words[CURRENT] paths=
  local -a choices options commands
  for word in ${words[2,CURRENT-1]}; do
    case $where/$word in
      ()";

constexpr const char* kZshMiddle = R"() where+=/$word ;;
    esac
  done
  if [[ $current == --*=* ]]; then
    before=${current%%=*}
    compset -P '*='
  fi
  case $where in
)";

constexpr const char* kZshEnd = R"(  esac
  if [[ $current == -* && $before != $current ]]; then
    _describe -o option options
    return
  fi
  (( ! $#commands )) || _describe command commands
  (( ! $#choices )) || compadd -a choices
  case $paths in
    (file) _files ;;
    (folder) _files -/ ;;
  esac
}
if [[ $funcstack[1] == _hone ]]; then _hone "$@"; else compdef _hone hone ./hone; fi
)";

}  // namespace

std::string zsh_completion(const DescribedCommand& tool) {
  std::string paths, arms;
  for (const DescribedCommand* command : all_commands(tool)) {
    if (!command->path.empty()) paths += (paths.empty() ? "" : "|") + script_path(*command);
    arms += zsh_arm(*command);
  }
  return kZshBegin + paths + kZshMiddle + arms + kZshEnd;
}

}  // namespace hone

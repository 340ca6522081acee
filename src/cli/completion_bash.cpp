#include <fmt/format.h>

#include <algorithm>

#include "cli/completion_script.h"

namespace hone {
namespace {

/// Lists of words as variables of the script: the zoo is offered in many places.
class WordVariables {
 public:
  /// What stands for the list; nothing for an empty one.
  std::string reference(const std::vector<std::string>& words) {
    if (words.empty()) return "";
    const auto known = std::ranges::find(lists_, words);
    const auto place = known - lists_.begin();
    if (known == lists_.end()) lists_.push_back(words);
    return fmt::format("$_hone_words_{}", place);
  }
  std::string definitions() const {
    std::string text;
    for (std::size_t i = 0; i < lists_.size(); ++i)
      text += fmt::format("_hone_words_{}='{}'\n", i, fmt::join(lists_[i], " "));
    return text;
  }

 private:
  std::vector<std::vector<std::string>> lists_;
};

/// How `compgen` is told what of the file system to offer.
std::string_view compgen_letter(NamedPath path) {
  if (path == NamedPath::none) return "";
  return path == NamedPath::file ? "f" : "d";
}

/// One arm for every option that takes a value, and one for plain words.
std::string command_arm(const DescribedCommand& command, WordVariables& lists) {
  std::vector<std::string> names;
  std::string arms;
  for (const DescribedOption& option : command.options) {
    names.insert(names.end(), option.names.begin(), option.names.end());
    if (option.value.empty()) continue;
    arms += fmt::format("        {}) choices={} paths={} options= ;;\n", fmt::join(option.names, " | "),
                        lists.reference(option.choices), compgen_letter(option.path));
  }
  PlainWords words = plain_words(command);
  for (const DescribedCommand& below : command.commands)
    words.choices.push_back(below.path.substr(below.path.rfind(' ') + 1));
  arms +=
      fmt::format("        *) choices={} paths={} ;;\n", lists.reference(words.choices), compgen_letter(words.path));
  return fmt::format("    '{}')\n      options='{}'\n      case $before in\n{}      esac ;;\n", script_path(command),
                     fmt::join(names, " "), arms);
}

constexpr const char* kBashBegin = R"(_hone() {
  local line=${COMP_LINE:0:COMP_POINT} current before where= word choices= options= paths= marks=
  local -a words
  read -ra words <<<"$line"
  [[ $line != *[[:space:]] ]] || words+=("")
  current=${words[-1]}
  before=${words[${#words[@]} - 2]}
  for word in "${words[@]:1:${#words[@]} - 2}"; do
    case $where/$word in
)";

constexpr const char* kBashMiddle = R"( where=$where/$word ;;
    esac
  done
  if [[ $current == --*=* ]]; then
    before=${current%%=*}
    current=${current#*=}
  fi
  case $where in
)";

constexpr const char* kBashEnd = R"(  esac
  if [[ $current == -* ]]; then
    choices=$options
    paths=
  fi
  mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$current")
  if [[ -n $paths ]]; then
    [[ ${#COMPREPLY[@]} -gt 0 ]] || compopt -o filenames 2>/dev/null
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen "-$paths" -- "$current")
  fi
  # What bash puts in place of the word begins after the last of these.
  [[ $COMP_WORDBREAKS != *:* ]] || marks+=:
  [[ $COMP_WORDBREAKS != *=* ]] || marks+==
  [[ -z $marks ]] || COMPREPLY=("${COMPREPLY[@]#"${current%"${current##*[$marks]}"}"}")
}
complete -F _hone hone ./hone
)";

}  // namespace

std::string bash_completion(const DescribedCommand& tool) {
  WordVariables lists;
  std::string paths, arms;
  for (const DescribedCommand* command : all_commands(tool)) {
    if (!command->path.empty()) paths += (paths.empty() ? "" : " | ") + script_path(*command);
    arms += command_arm(*command, lists);
  }
  return "# Completion of hone in bash: source <(hone completion bash)\n" + lists.definitions() + kBashBegin +
         "      " + paths + ")" + kBashMiddle + arms + kBashEnd;
}

}  // namespace hone

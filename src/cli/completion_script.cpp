#include "cli/completion_script.h"

#include <algorithm>

namespace hone {

std::string script_path(const DescribedCommand& command) {
  if (command.path.empty()) return "";
  std::string path = "/" + command.path;
  std::ranges::replace(path, ' ', '/');
  return path;
}

PlainWords plain_words(const DescribedCommand& command) {
  PlainWords words;
  for (const DescribedOption& word : command.words) {
    words.choices.insert(words.choices.end(), word.choices.begin(), word.choices.end());
    if (word.path != NamedPath::none) words.path = word.path;
  }
  return words;
}

}  // namespace hone

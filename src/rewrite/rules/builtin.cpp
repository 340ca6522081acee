#include <algorithm>

#include "base/error.h"
#include "base/suggestion.h"
#include "rewrite/rules/rule.h"

namespace hone {

const std::vector<Rule>& builtin_rules() {
  static const std::vector<Rule> rules = [] {
    std::vector<Rule> all;
    for (const RuleFile& file : rule_files())
      for (Rule& rule : parse_rules(file.text, file.name)) {
        HONE_CHECK(std::ranges::find(all, rule.name, &Rule::name) == all.end(), "two rules are named {}", rule.name);
        all.push_back(std::move(rule));
      }
    return all;
  }();
  return rules;
}

namespace {

[[noreturn]] void fail_unknown_rule(std::string_view word) {
  std::vector<std::string_view> names{"all"};
  for (const Rule& rule : builtin_rules()) {
    if (std::ranges::find(names, rule.family) == names.end()) names.push_back(rule.family);
    names.push_back(rule.name);
  }
  fail_usage("there is no rule or family of rules '{:.60}'{} (`hone rules list` shows all)", word,
             suggestion_or_all(word, names));
}

}  // namespace

std::vector<const Rule*> select_rules(std::string_view selection) {
  std::vector<const Rule*> selected;
  while (!selection.empty()) {
    const std::size_t comma = std::min(selection.find(','), selection.size());
    std::string_view word = selection.substr(0, comma);
    selection.remove_prefix(std::min(comma + 1, selection.size()));
    const bool away = word.starts_with('-');
    if (away) word.remove_prefix(1);
    bool met = false;
    for (const Rule& rule : builtin_rules()) {
      if (word != "all" && word != rule.name && word != rule.family) continue;
      met = true;
      const auto place = std::ranges::find(selected, &rule);
      if (away && place != selected.end()) selected.erase(place);
      if (!away && place == selected.end()) selected.push_back(&rule);
    }
    if (!met) fail_unknown_rule(word);
  }
  return selected;
}

}  // namespace hone

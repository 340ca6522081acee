#include "learn/policy/policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/examples.h"
#include "cli/verb.h"
#include "learn/policy/card.h"
#include "report/json_line.h"
#include "report/table.h"

namespace hone {
namespace {

using nlohmann::ordered_json;

/// Text of a file as a terminal can show it, however long.
std::string printable(std::string text) {
  std::ranges::replace_if(
      text, [](unsigned char c) { return c < ' ' || c == 0x7F; }, ' ');
  return text;
}

/// What a card says under a key, or nothing.
std::string card_entry(const Policy& policy, const std::string& key) {
  const auto found = policy.card().find(key);
  return found == policy.card().end() ? "" : printable(found->second);
}

ordered_json json_of(const Policy& policy, const std::string& name) {
  ordered_json card = policy.card();
  card["name"] = name;
  for (const Policy::Part& part : policy.parts())
    card["networks"][std::string(part.name)] = {{"width", part.shape.width}, {"rounds", part.shape.rounds}};
  return card;
}

void list_policies(bool json) {
  std::vector<std::string> names;
  for (const BuiltinPolicy& builtin : builtin_policies()) names.emplace_back(builtin.name);
  std::ranges::sort(names);
  ordered_json cards = ordered_json::array();
  Table table({"policy", "objective", "plans drawn", "training of plans", "of moves"});
  for (const std::string& name : names) {
    const Policy policy = Policy::load(name);
    cards.push_back(json_of(policy, name));
    table.add({name, card_entry(policy, "objective"), std::string(policy.kind().name()), card_entry(policy, "metrics"),
               card_entry(policy, "moves_metrics")});
  }
  fmt::print("{}", json ? json_line(cards) : table.text());
}

void show_policy(const std::string& name, bool json) {
  const Policy policy = Policy::load(name);
  if (json) {
    fmt::print("{}", json_line(json_of(policy, name)));
    return;
  }
  for (const auto& [key, value] : policy.card()) fmt::print("{}: {}\n", printable(key), printable(value));
  for (const Policy::Part& part : policy.parts())
    fmt::print("network for {}: {} wide, {} rounds\n", part.name, part.shape.width, part.shape.rounds);
}

void verify_policy(const std::string& name, bool json) {
  const Safetensors contents = read_policy(name);
  const Policy policy(contents, name);
  const bool sealed = is_intact(contents).has_value();
  if (json)
    fmt::print(
        "{}", json_line(ordered_json{
                  {"policy", name}, {"usable", true}, {"schema", policy.kind().schema()}, {"digest_checked", sealed}}));
  else
    fmt::print("{} is a policy that this hone can use; {}\n", name,
               sealed ? "its weights are those of its card" : "its card has no digest of its weights");
}

std::function<ExitCode()> setup_policy(CLI::App& command) {
  struct Given {
    std::string what, name;
    bool json = false;
  };
  auto given = std::make_shared<Given>();
  command.add_option("what", given->what, "`list` (those built in), `show` or `verify`")->required();
  command.add_option("policy", given->name, "A built-in policy or a safetensors file");
  command.add_flag("--json", given->json, "Print JSON");
  add_examples(command, {{"hone policy list", "those built in"},
                         {"hone policy verify mine/policy.safetensors", "before it is used"}});
  return [given] {
    if (given->what != "list" && given->what != "show" && given->what != "verify")
      fail_usage("hone policy can list, show and verify, not '{}'", given->what);
    if (given->what == "list" && !given->name.empty())
      fail_usage("`hone policy list` names all that are built in and takes no name");
    if (given->what != "list" && given->name.empty())
      fail_usage("which policy? `hone policy list` names the built-in ones");
    if (given->what == "list") list_policies(given->json);
    if (given->what == "show") show_policy(given->name, given->json);
    if (given->what == "verify") verify_policy(given->name, given->json);
    return ExitCode::done;
  };
}

const Verb policy_verb("policy", Topic::learning, "List, show and verify trained policies", setup_policy);

}  // namespace
}  // namespace hone

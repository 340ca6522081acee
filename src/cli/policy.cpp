#include "policy/policy.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/verb.h"
#include "report/json_line.h"

namespace hone {
namespace {

void list_policies() {
  for (const BuiltinPolicy& builtin : builtin_policies()) {
    const Policy policy = Policy::load(std::string(builtin.name));
    const auto metrics = policy.card().find("metrics");
    fmt::print("{}  {}\n", builtin.name, metrics == policy.card().end() ? "" : metrics->second);
  }
}

void show_policy(const Policy& policy, bool json) {
  if (json) {
    fmt::print("{}", json_line(nlohmann::ordered_json(policy.card())));
    return;
  }
  for (const auto& [key, value] : policy.card()) fmt::print("{}: {}\n", key, value);
  fmt::print("network for plans: {} wide, {} rounds\nnetwork for moves: {} wide, {} rounds\n", policy.plans().width(),
             policy.plans().rounds(), policy.moves().width(), policy.moves().rounds());
}

std::function<ExitCode()> setup_policy(CLI::App& command) {
  struct Given {
    std::string what, name;
    bool json = false;
  };
  auto given = std::make_shared<Given>();
  command.add_option("what", given->what, "`list`, `show` or `verify`")->required();
  command.add_option("policy", given->name, "A built-in policy or a safetensors file");
  command.add_flag("--json", given->json, "Print JSON");
  return [given] {
    if (given->what == "list") {
      list_policies();
      return ExitCode::done;
    }
    if (given->what != "show" && given->what != "verify")
      fail_usage("hone policy can list, show and verify, not '{}'", given->what);
    if (given->name.empty()) fail_usage("which policy? `hone policy list` names the built-in ones");
    const Policy policy = Policy::load(given->name);
    if (given->what == "show") show_policy(policy, given->json);
    else fmt::print("{} is a policy that this hone can use\n", given->name);
    return ExitCode::done;
  };
}

const Verb policy_verb("policy", "List, show and verify trained policies", setup_policy);

}  // namespace
}  // namespace hone

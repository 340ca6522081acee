#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/timer.h"
#include "cli/verb.h"
#include "proof/prove.h"
#include "report/json_line.h"
#include "report/table.h"

namespace hone {
namespace {

using Json = nlohmann::ordered_json;

struct Given {
  std::string selection = "all";
  ProofOptions proof;
  bool json = false;
};

ExitCode list(const Given& given) {
  Json rows = Json::array();
  Table table({"rule", "family", "outputs", "domain"});
  for (const Rule* rule : select_rules(given.selection)) {
    const std::string domain = rule->domain.empty() ? "ai.onnx" : rule->domain;
    table.add({rule->name, rule->family, fmt::format("{}", rule->outputs.size()), domain});
    rows.push_back(
        {{"name", rule->name}, {"family", rule->family}, {"outputs", rule->outputs.size()}, {"domain", domain}});
  }
  fmt::print("{}", given.json ? json_line(Json{{"rules", rows}}) : table.text());
  return ExitCode::done;
}

ExitCode show(const Given& given) {
  for (const Rule* rule : select_rules(given.selection)) fmt::print("{}\n", rule->text);
  return ExitCode::done;
}

ExitCode verify_rules(const Given& given) {
  const Timer timer;
  Json rows = Json::array();
  Table table({"rule", "proved", "instances", "shapes", "attributes", "types", "opsets"});
  std::size_t proved = 0, total = 0;
  std::string faults;
  for (const Rule* rule : select_rules(given.selection)) {
    const Proof proof = prove(*rule, given.proof);
    ++total;
    proved += proof.proved ? 1 : 0;
    if (!proof.proved) faults += fmt::format("{}: {}\n", rule->name, proof.reason);
    table.add({rule->name, proof.proved ? "yes" : "NO", fmt::format("{}", proof.instances),
               fmt::format("{}", proof.shapes), fmt::format("{}", proof.attributes), fmt::format("{}", proof.types),
               fmt::format("{}", proof.opsets)});
    rows.push_back({{"name", rule->name},
                    {"proved", proof.proved},
                    {"reason", proof.reason},
                    {"instances", proof.instances},
                    {"shapes", proof.shapes},
                    {"attributes", proof.attributes},
                    {"types", proof.types},
                    {"opsets", proof.opsets}});
  }
  const Json summary = {{"rules_proved", proved}, {"rules_total", total}, {"seconds", timer.seconds()}};
  if (given.json) fmt::print("{}", json_line(Json{{"rules", rows}, {"summary", summary}}));
  else fmt::print("{}\n{}{} of {} rules proved in {:.1f} s\n", table.text(), faults, proved, total, timer.seconds());
  return proved == total ? ExitCode::done : ExitCode::verification_failed;
}

std::function<ExitCode()> setup(CLI::App& command) {
  auto given = std::make_shared<Given>();
  auto chosen = std::make_shared<ExitCode (*)(const Given&)>(list);
  command.require_subcommand(1);
  const auto add = [&](const char* name, const char* summary, ExitCode (*action)(const Given&)) {
    CLI::App* verb = command.add_subcommand(name, summary);
    verb->add_option("RULES", given->selection, "Names and families, separated by commas; -NAME leaves one out");
    verb->add_flag("--json", given->json, "One JSON object instead of a table");
    verb->callback([chosen, action] { *chosen = action; });
    return verb;
  };
  add("list", "Rules by family", list);
  add("show", "The text of rules", show);
  CLI::App* verify = add("verify", "Checks that both sides of rules compute the same", verify_rules);
  verify->add_option("--instances", given->proof.instances, "Instances to compare for each rule");
  verify->add_option("--attempts", given->proof.attempts, "Attempts at making an instance");
  verify->add_option("--seed", given->proof.seed, "Seed of the choices");
  return [given, chosen] { return (*chosen)(*given); };
}

const Verb rules("rules", "Lists, shows and checks rewriting rules", setup);

}  // namespace
}  // namespace hone

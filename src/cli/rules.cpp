#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text_file.h"
#include "base/timer.h"
#include "cli/examples.h"
#include "cli/rules_generate.h"
#include "cli/verb.h"
#include "report/json_line.h"
#include "report/table.h"
#include "rewrite/proof/prove.h"

namespace hone {
namespace {

using Json = nlohmann::ordered_json;

struct RulesArguments {
  std::string selection = "all";
  std::string file;  // rules to verify instead of those that are compiled in
  ProofOptions proof;
  std::size_t threads = 2;
  bool json = false;
};

ExitCode list_rules(const RulesArguments& given) {
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

ExitCode show_rule(const RulesArguments& given) {
  for (const Rule* rule : select_rules(given.selection))
    fmt::print("{}{}\n", rule->assumes_finite ? "# assumes finite numbers\n" : "", rule->text);
  return ExitCode::done;
}

std::vector<Rule> read_rules(const std::filesystem::path& path) {
  return parse_rules(read_text_file(path).text, path.stem().string());
}

Json row_of(const Rule& rule, const Proof& proof) {
  return {{"name", rule.name},
          {"proved", proof.proved},
          {"reason", proof.reason},
          {"kind", name_of(proof.algebra.kind)},
          {"degree", proof.algebra.degree},
          {"error", proof.algebra.error()},
          {"scope", proof.scope},
          {"choices", proof.choices},
          {"enumerated_instances", proof.enumerated},
          {"instances", proof.instances},
          {"special_instances", proof.special},
          {"assumes_finite", rule.assumes_finite},
          {"forms", proof.forms},
          {"live_forms", proof.live_forms},
          {"seconds", proof.seconds}};
}

std::string scopes_text() {
  std::string text = "All shapes and attributes were tried within the scope named; the largest numbers of each:\n";
  for (const Scope& scope : kScopes)
    text += fmt::format(
        "  {:<7} {} axes of size {}, windows over {} axes of size {}, kernel {}, step {}, padding {}, "
        "groups {}, lists of {}{}\n",
        scope.name, scope.rank, scope.size, scope.spatial, scope.image, scope.kernel, scope.stride, scope.pad,
        scope.group, scope.list,
        scope.lists == Scope::Lists::any ? "" : ", lists of a window plain but for one place or alike");
  return text;
}

ExitCode verify_rules(const RulesArguments& given) {
  const Timer timer;
  const std::vector<Rule> read = given.file.empty() ? std::vector<Rule>() : read_rules(given.file);
  std::vector<const Rule*> rules;
  if (given.file.empty()) rules = select_rules(given.selection);
  for (const Rule& rule : read) rules.push_back(&rule);
  const std::vector<Proof> proofs = prove_all(rules, given.proof, given.threads);
  Json rows = Json::array();
  Table table({"rule", "proved", "kind", "scope", "choices", "enumerated", "instances", "special", "forms", "holds for",
               "seconds"});
  std::size_t proved = 0;
  std::string faults;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const Proof& proof = proofs[i];
    proved += proof.proved ? 1 : 0;
    if (!proof.proved) faults += fmt::format("{}: {}\n", rules[i]->name, proof.reason);
    table.add({rules[i]->name, proof.proved ? "yes" : "NO", std::string(name_of(proof.algebra.kind)),
               std::string(proof.scope), fmt::format("{}", proof.choices), fmt::format("{}", proof.enumerated),
               fmt::format("{}", proof.instances), fmt::format("{}", proof.special),
               fmt::format("{}/{}", proof.forms, proof.live_forms), rules[i]->assumes_finite ? "finite" : "all values",
               fmt::format("{:.1f}", proof.seconds)});
    rows.push_back(row_of(*rules[i], proof));
  }
  const Json summary = {{"rules_proved", proved}, {"rules_total", rules.size()}, {"seconds", timer.seconds()}};
  if (given.json) fmt::print("{}", json_line(Json{{"rules", rows}, {"summary", summary}}));
  else
    fmt::print("{}\n{}{}{} of {} rules proved in {:.1f} s\n", table.text(), scopes_text(), faults, proved, rules.size(),
               timer.seconds());
  return proved == rules.size() ? ExitCode::done : ExitCode::verification_failed;
}

/// What `generate` was given, if it was.
struct GenerateChoice {
  bool chosen = false;
  GenerateRequest request;
};

std::shared_ptr<GenerateChoice> setup_generate(CLI::App& command) {
  auto choice = std::make_shared<GenerateChoice>();
  CLI::App* verb = command.add_subcommand("generate", "Finds rules by enumerating small graphs, and proves them");
  verb->add_option("--operators", choice->request.options.operators, "Most operators of a side")
      ->check(CLI::Range(std::size_t{1}, std::size_t{4}));
  verb->add_option("--time", choice->request.options.seconds,
                   "Seconds after which it ends; so does Ctrl-C, with what was found")
      ->capture_default_str();
  verb->add_option("--worlds", choice->request.options.worlds, "Which operators: elements, matrices, images")
      ->delimiter(',');
  const FileForm form{.what = "a list of rules", .extensions = {".rules", ".txt"}};
  choice->request.output.add_to(*verb, form, "File for the rules; - is standard output");
  verb->add_flag("--json", choice->request.json, "One JSON object instead of a table");
  add_examples(*verb, {{"hone rules generate --operators 2 --worlds elements", "a few minutes"}});
  verb->callback([choice] { choice->chosen = true; });
  return choice;
}

std::function<ExitCode()> setup_rules(CLI::App& command) {
  auto given = std::make_shared<RulesArguments>();
  auto chosen = std::make_shared<ExitCode (*)(const RulesArguments&)>(list_rules);
  command.require_subcommand(1);
  const auto add = [&](const char* name, const char* summary, ExitCode (*action)(const RulesArguments&)) {
    CLI::App* verb = command.add_subcommand(name, summary);
    verb->add_option("RULES", given->selection, "Names and families, separated by commas; -NAME leaves one out");
    verb->add_flag("--json", given->json, "One JSON object instead of a table");
    verb->callback([chosen, action] { *chosen = action; });
    return verb;
  };
  CLI::App* list = add("list", "Rules by family", list_rules);
  CLI::App* show = add("show", "The text of rules", show_rule);
  CLI::App* verify = add("verify", "Checks that both sides of rules compute the same", verify_rules);
  verify->add_option("--file", given->file, "Rules to check instead of those that come with hone");
  verify->add_option("--scopes", given->proof.scopes, "How many scopes to go through, from the smallest on")
      ->check(CLI::Range(std::size_t{1}, kScopes.size()));
  verify->add_option("--choices", given->proof.most_choices, "Most choices of shapes and attributes in one scope");
  verify->add_option("--instances", given->proof.most_instances, "Most instances of a rule in one scope");
  verify->add_option("--drawn", given->proof.drawn, "Further instances drawn at random for each rule");
  verify->add_option("--seed", given->proof.seed, "Seed of what is drawn");
  verify->add_option("--threads", given->threads, "Rules that are checked at a time")
      ->check(CLI::Range(std::size_t{1}, std::size_t{256}));
  const auto request = setup_generate(command);
  add_examples(command, {{"hone rules list", "names by family"}, {"hone rules verify fold", "prove a family"}});
  add_examples(
      *list, {{"hone rules list", "all"}, {"hone rules list fold,-conv-batch-normalization", "a family without one"}});
  add_examples(*show, {{"hone rules show conv-batch-normalization", "as it is written"}});
  add_examples(*verify, {{"hone rules verify fold", "a family"}, {"hone rules verify --file mine.rules", "your own"}});
  return [given, chosen, request] {
    return request->chosen ? print_generated_rules(request->request) : (*chosen)(*given);
  };
}

const Verb rules("rules", Topic::learning, "Lists, shows and checks rewriting rules", setup_rules);

}  // namespace
}  // namespace hone

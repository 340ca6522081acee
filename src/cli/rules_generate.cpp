#include "cli/rules_generate.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/interrupt.h"
#include "base/output_file.h"
#include "base/search_base.h"
#include "base/timer.h"
#include "report/json_line.h"
#include "report/table.h"
#include "rewrite/discover/same_rule.h"

namespace hone {
namespace {

using Json = nlohmann::ordered_json;

/// The rule of hone's own that says the same; empty when it is new.
std::string known_as(const Rule& rule) {
  const auto& known = builtin_rules();
  const auto found = std::ranges::find_if(known, [&](const Rule& each) { return same_rule(each, rule); });
  return found != known.end() ? found->name : "";
}

void write_rules(const Generation& found, const std::filesystem::path& path) {
  OutputFile file(path);
  file.write(fmt::format("# {} rules found by enumeration and proved.\n", found.rules.size()));
  for (const GeneratedRule& each : found.rules) file.write(fmt::format("\n{}", each.rule.text));
  file.commit();
}

SearchEnd end_of(const Generation& found) {
  if (found.finished) return SearchEnd::nothing_left;
  return interrupted() ? SearchEnd::interrupted : SearchEnd::seconds;
}

}  // namespace

ExitCode print_generated_rules(const GenerateRequest& request) {
  const Timer timer;
  const OutputTarget target = request.output.target();
  const InterruptGuard guard;
  const Generation found = generate_rules(request.options);
  const SavedOutput saved = target.save([&](const std::filesystem::path& path) { write_rules(found, path); });
  Json rows = Json::array();
  Table table({"rule", "kind", "choices", "instances", "holds for", "known as"});
  for (const GeneratedRule& each : found.rules) {
    const std::string known = known_as(each.rule);
    table.add({each.rule.name, std::string(name_of(each.proof.algebra.kind)), fmt::format("{}", each.proof.choices),
               fmt::format("{}", each.proof.instances), each.rule.assumes_finite ? "finite" : "all values", known});
    rows.push_back({{"name", each.rule.name}, {"text", each.rule.text}, {"known_as", known}});
  }
  Json object{{"rules", rows},
              {"summary",
               {{"rules", found.rules.size()},
                {"formulas", found.formulas},
                {"candidates", found.candidates},
                {"refuted", found.refuted},
                {"finished", found.finished},
                {"ended_by", name_of(end_of(found))},
                {"seconds", timer.seconds()}}}};
  enter(saved, object);
  if (request.json) fmt::print("{}", json_line(object));
  else
    fmt::print("{}\n{} rules from {} classes of formulas, {} candidates, {} refuted\n{}", table.text(),
               found.rules.size(), found.formulas, found.candidates, found.refuted,
               ending_text(end_of(found), timer.seconds()));
  return told(saved, interrupted() ? ExitCode::interrupted : ExitCode::done);
}

}  // namespace hone

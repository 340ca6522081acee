#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/checkup.h"
#include "cli/columns.h"
#include "cli/examples.h"
#include "cli/verb.h"
#include "report/json_line.h"

namespace hone {
namespace {

using Json = nlohmann::ordered_json;

std::string_view standing_name(Standing standing) {
  constexpr std::string_view kNames[] = {"fine", "missing", "broken"};
  return kNames[static_cast<std::size_t>(standing)];
}

/// The parts asked for, all unless any was. Throws InputError (usage) for a name that is no part.
std::vector<Part> wanted_parts(const std::vector<std::string>& wanted) {
  std::vector<Part> parts = all_parts();
  if (wanted.empty()) return parts;
  std::vector<std::string_view> names;
  for (const Part& part : parts) names.push_back(part.name);
  std::vector<Part> chosen;
  for (const std::string& name : wanted) {
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) fail_usage("hone doctor knows no part '{:.60}'{}", name, suggestion_or_all(name, names));
    chosen.push_back(parts[static_cast<std::size_t>(found - names.begin())]);
  }
  return chosen;
}

void print_finding(const std::string& part, const Finding& finding) {
  constexpr std::size_t kTextColumn = 24;
  const std::string label = fmt::format("{:<12} {}", part, standing_name(finding.standing));
  fmt::print("{}", beside(label, finding.text, kTextColumn));
  if (!finding.remedy.empty()) fmt::print("{}", beside("", "-> " + finding.remedy, kTextColumn));
}

/// Looks at parts and tells of them. Parts that were asked for by name have to be there.
ExitCode examine(const std::vector<std::string>& wanted, bool json) {
  std::vector<std::string> lacking;
  Json rows = Json::array();
  for (const Part& part : wanted_parts(wanted)) {
    const Finding finding = part.look();
    const bool is_needed = finding.standing == Standing::broken || !wanted.empty();
    if (is_needed && finding.standing != Standing::fine) lacking.push_back(part.name);
    rows.push_back({{"part", part.name},
                    {"standing", standing_name(finding.standing)},
                    {"text", finding.text},
                    {"remedy", finding.remedy}});
    if (!json) print_finding(part.name, finding);
  }
  if (json) fmt::print("{}", json_line(Json{{"usable", lacking.empty()}, {"parts", rows}}));
  else if (!lacking.empty()) fmt::print("\nto be brought first: {}\n", fmt::join(lacking, ", "));
  else if (wanted.empty()) fmt::print("\nhone can be used\n");
  return lacking.empty() ? ExitCode::done : ExitCode::backend_missing;
}

std::function<ExitCode()> setup_doctor(CLI::App& command) {
  struct Given {
    std::vector<std::string> parts;
    bool json = false;
  };
  auto given = std::make_shared<Given>();
  command.add_option("parts", given->parts, "Parts that have to be there; unless given, what hone cannot do without");
  command.add_flag("--json", given->json, "One JSON object instead of text");
  add_examples(command,
               {{"hone doctor", "all parts, and what to do"}, {"hone doctor learn", "exit code 5 unless it is there"}});
  return [given] { return examine(given->parts, given->json); };
}

const Verb doctor("doctor", Topic::tool, "What there is to work with, and what would bring the rest", setup_doctor);

}  // namespace
}  // namespace hone

#include "bench/planning/contest.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "bench/planning/planning_file.h"
#include "plan/search/optimizer.h"

namespace hone {
namespace {

using nlohmann::json;

constexpr std::string_view kContenderRoles[] = {"classical", "default",   "regal",    "learned",
                                                "no-policy", "untrained", "zero-step"};

ContenderRole contender_role(const std::string& name, std::string_view source) {
  const auto found = std::ranges::find(kContenderRoles, name);
  if (found == std::end(kContenderRoles))
    fail_usage("{}: '{}' is none of {}", source, name, fmt::join(kContenderRoles, ", "));
  return static_cast<ContenderRole>(found - std::begin(kContenderRoles));
}

PlanningSetting parse_planning_setting(const json& entry) {
  return {parse_objective(entry.at("objective").get<std::string>()), entry.at("machine")};
}

std::vector<PlanningContender> parse_contenders(const json& list, std::string_view source) {
  std::vector<PlanningContender> contenders;
  for (const json& entry : list) {
    contenders.push_back({entry.at("optimizer"), contender_role(entry.at("role"), source)});
    make_optimizer(contenders.back().optimizer);  // mistakes are told before anything runs
  }
  return contenders;
}

}  // namespace

std::string_view name_of(ContenderRole role) { return kContenderRoles[static_cast<std::size_t>(role)]; }

const PlanningField& PlanningContest::field(const Objective& objective) const {
  const auto found = std::ranges::find(fields, objective, &PlanningField::objective);
  HONE_CHECK(found != fields.end(), "nobody takes part for {}", name_of(objective));
  return *found;
}

PlanningContest PlanningContest::shortened() const {
  PlanningContest contest = *this;
  contest.most_operations = 600;
  contest.budgets = {20, 60};
  contest.seeds = 1;
  contest.headroom.evaluations = 200;
  return contest;
}

PlanningContest parse_contest(const json& file, std::string_view source) {
  PlanningContest contest;
  for (const auto& [key, value] : file.items()) {
    if (key == "operations") contest.least_operations = value.at(0), contest.most_operations = value.at(1);
    else if (key == "large_operations") contest.large_operations = value;
    else if (key == "budgets") contest.budgets = value.get<std::vector<std::uint64_t>>();
    else if (key == "seeds") contest.seeds = value;
    else if (key == "settings")
      for (const json& entry : value) contest.settings.push_back(parse_planning_setting(entry));
    else if (key == "standard") contest.standard = value;
    else if (key == "headroom") contest.headroom = {parse_planning_setting(value), value.at("evaluations")};
    else if (key == "contenders")
      for (const auto& [objective, list] : value.items())
        contest.fields.push_back(
            {parse_objective(objective), file.at("tasks").at(objective), parse_contenders(list, source)});
    else if (key != "tasks") fail_usage("{}: unknown key '{}'", source, key);
  }
  if (contest.budgets.empty() || !std::ranges::is_sorted(contest.budgets))
    fail_usage("{}: budgets must be given, the least first", source);
  return contest;
}

PlanningContest planning_contest() { return parse_contest(planning_file("contest"), "contest.json"); }

}  // namespace hone

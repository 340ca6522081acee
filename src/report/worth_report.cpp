#include "report/worth_report.h"

#include <fmt/format.h>

#include "report/fitted.h"
#include "report/table.h"

namespace hone {
namespace {

std::string fusion_decision(const Problem& problem, const DecisionWorth& decision, FusionMeaning meaning) {
  const auto name = [&](OperationId operation) { return problem.workload.operation(operation).name; };
  const std::string reader = decision.reader.valid() ? fmt::format("'{}'", name(decision.reader)) : "its readers";
  switch (meaning) {
    case FusionMeaning::apart: return fmt::format("'{}' apart from {}", name(decision.operation), reader);
    case FusionMeaning::inlined: return fmt::format("'{}' computed by {}", name(decision.operation), reader);
    case FusionMeaning::merged: return fmt::format("'{}' in one kernel with {}", name(decision.operation), reader);
  }
  return {};
}

std::string decision_text(const Problem& problem, const DecisionWorth& decision) {
  if (decision.field == PlanField::group) return fusion_decision(problem, decision, decision.meaning);
  const DeviceChoices choices(problem);
  const DeviceId device = choices.devices(choices.choice_of(decision.operation))[decision.option];
  return fmt::format("'{}' on {}", problem.workload.operation(decision.operation).name,
                     problem.machine.device(device).name);
}

std::string worth_of(double seconds) {
  return seconds < 1e-3 ? fmt::format("{:.2f} us", seconds * 1e6) : fmt::format("{:.3f} ms", seconds * 1e3);
}

}  // namespace

std::string worth_text(const Problem& problem, const ValuedDecisions& found) {
  if (found.decisions.empty()) return fitted("no decision of this plan matters: no single one could be worse");
  Table table({{"decision", Fit::wrapped}, "worth", "of the plan's time"});
  for (const DecisionWorth& decision : found.decisions)
    table.add({decision_text(problem, decision), worth_of(decision.worth),
               fmt::format("{:.2f} %", 100 * decision.worth / found.value)});
  return table.text() + fitted("worth: what the plan would take longer if this one were decided otherwise");
}

nlohmann::ordered_json worth_json(const Problem& problem, const ValuedDecisions& found) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const DecisionWorth& decision : found.decisions) {
    nlohmann::ordered_json& entry = list.emplace_back();
    entry["decision"] = decision_text(problem, decision);
    entry["operation"] = problem.workload.operation(decision.operation).name;
    if (decision.reader.valid()) entry["reader"] = problem.workload.operation(decision.reader).name;
    entry["worth_seconds"] = decision.worth;
  }
  return {{"seconds", found.value}, {"decisions", list}};
}

}  // namespace hone

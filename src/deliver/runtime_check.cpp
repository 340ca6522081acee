#include "deliver/runtime_check.h"

#include <nlohmann/json.hpp>

#include "base/child_process.h"
#include "run/verify/memory_need.h"

namespace hone {
namespace {

std::string text_of(const Equivalence& result) {
  nlohmann::json outputs = nlohmann::json::array();
  for (const OutputComparison& each : result.outputs)
    outputs.push_back({each.name, each.difference.within, each.difference.reason, each.difference.max_absolute,
                       each.difference.max_relative, each.difference.cosine});
  return nlohmann::json{
      {"equal", result.equal}, {"reason", result.reason}, {"tried", result.inputs_tried}, {"outputs", outputs}}
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Infinities and NaN leave as null.
double number(const nlohmann::json& value) {
  return value.is_number() ? value.get<double>() : std::numeric_limits<double>::infinity();
}

Equivalence equivalence_of(const std::string& text) {
  const nlohmann::json object = nlohmann::json::parse(text);
  Equivalence result{
      .equal = object["equal"], .reason = object["reason"], .outputs = {}, .inputs_tried = object["tried"]};
  for (const nlohmann::json& each : object["outputs"])
    result.outputs.push_back({.name = each[0],
                              .difference = {.within = each[1],
                                             .reason = each[2],
                                             .max_absolute = number(each[3]),
                                             .max_relative = number(each[4]),
                                             .cosine = number(each[5])}});
  return result;
}

}  // namespace

Equivalence check_on_runtime(const RuntimeModel& reference, const RuntimeModel& candidate,
                             const EquivalenceOptions& options, const Runtime& runtime) {
  require_memory(reference.model.model, 2);
  const ChildResult found = run_in_child([&] {
    const std::unique_ptr<RuntimeHost> host = runtime.start(1);
    const auto running = [&](const RuntimeModel& each) {
      const std::shared_ptr<PreparedModel> prepared = host->prepare(each.model, each.options);
      return RunnableModel{each.model.model, [prepared](std::span<const Datum> inputs) {
                             prepared->set_inputs(inputs);
                             return prepared->outputs();
                           }};
    };
    return text_of(check_equivalence(running(reference), running(candidate), options));
  });
  if (found.succeeded()) return equivalence_of(found.text);
  const std::string reason =
      found.signal != 0 ? fmt::format("the runtime died with signal {}", found.signal) : "does not run: " + found.error;
  return {.equal = false, .reason = reason, .outputs = {}, .inputs_tried = 0};
}

}  // namespace hone

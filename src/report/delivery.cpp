#include "report/delivery.h"

#include <fmt/format.h>

#include "report/latency.h"
#include "report/table.h"
#include "report/verification.h"

namespace hone {
namespace {

using Json = nlohmann::ordered_json;

std::string text_at(const Json& object, const char* key) {
  const auto it = object.find(key);
  return it != object.end() && it->is_string() ? it->get<std::string>() : std::string();
}

std::string speedup_cell(const Json& decision) {
  const auto it = decision.find("speedup");
  if (it == decision.end() || !it->is_object() || !it->contains("ci95")) return {};
  return fmt::format("{:.3f} [{:.3f}, {:.3f}]", it->value("median", 1.0), (*it)["ci95"][0].get<double>(),
                     (*it)["ci95"][1].get<double>());
}

double worst_difference(const Equivalence& result) {
  double worst = 0;
  for (const OutputComparison& output : result.outputs) worst = std::max(worst, output.difference.max_absolute);
  return worst;
}

std::string check_line(const char* where, const Equivalence& result) {
  if (!result.equal) return fmt::format("{}: DIFFERENT: {}\n", where, result.reason);
  const std::string tolerance = tolerance_text(result);
  return fmt::format("{}: {}, largest difference {:.2g}{}{}\n", where, tried_text(result), worst_difference(result),
                     tolerance.empty() ? "" : "; ", tolerance);
}

/// What bought how much, in one sentence.
std::string verdict(const Delivery& delivery) {
  if (!delivery.measurement) return "nothing was measured\n";
  if (!delivery.gain) return "no gain: nothing was proved faster than the original\n";
  std::string text = fmt::format("{} times as fast as the original", speedup_text(*delivery.whole));
  if (delivery.model_part && delivery.runtime_part)
    text += fmt::format("; the model alone {}, the options alone {}", speedup_text(*delivery.model_part),
                        speedup_text(*delivery.runtime_part));
  else text += delivery.runtime_part ? ", by the runtime's options alone" : ", by the model alone";
  return text + "\n";
}

}  // namespace

std::string decisions_text(const Json& decisions) {
  Table table({"stage", "decision", "outcome", "speed-up [95 % CI]", "why"});
  for (const Json& each : decisions)
    table.add({text_at(each, "stage"), text_at(each, "subject"), text_at(each, "outcome"), speedup_cell(each),
               text_at(each, "reason")});
  return table.text();
}

std::string delivery_text(const Delivery& delivery, const Json& description) {
  std::string text = decisions_text(description["decisions"]);
  text += fmt::format("\nnodes {} -> {}\n", description["nodes_before"].dump(), description["nodes_after"].dump());
  if (delivery.measurement)
    text +=
        fmt::format("\n{}, {} thread{}, milliseconds\n{}", delivery.measurement->runtime, delivery.measurement->threads,
                    delivery.measurement->threads == 1 ? "" : "s", latency_table(*delivery.measurement));
  text += "\n" + check_line("reference interpreter", delivery.verified);
  if (delivery.verified_on_runtime) text += check_line("runtime", *delivery.verified_on_runtime);
  return text + verdict(delivery);
}

Json delivery_result_json(const Delivery& delivery, const Json& description) {
  Json object = description;
  object["schema"] = "hone.result/1";
  Json changes = Json::object();
  for (const auto& [pass, count] : delivery.cleaned.changes) changes[std::string(pass)] = count;
  object["changes"] = changes;
  object["verify"] = verification_json(delivery.verified);
  if (delivery.verified_on_runtime) object["verify_on_runtime"] = verification_json(*delivery.verified_on_runtime);
  if (delivery.measurement) object["measurement"] = latency_json(*delivery.measurement);
  return object;
}

}  // namespace hone

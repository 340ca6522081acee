#include "report/verification.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "report/table.h"

namespace hone {

nlohmann::ordered_json verification_json(const Equivalence& result) {
  nlohmann::ordered_json outputs = nlohmann::ordered_json::array();
  for (const OutputComparison& output : result.outputs) {
    outputs.push_back({{"name", output.name},
                       {"max_abs", output.difference.max_absolute},
                       {"max_rel", output.difference.max_relative},
                       {"cos", output.difference.cosine},
                       {"within", output.difference.within}});
    if (!output.errors) continue;
    outputs.back()["max_error"] = output.errors->candidate;
    outputs.back()["max_own_error"] = output.errors->reference;
  }
  nlohmann::ordered_json object{
      {"status", result.equal ? "equal" : "different"}, {"inputs", result.inputs_tried}, {"outputs", outputs}};
  if (!result.equal) object["reason"] = result.reason;
  if (const std::string tolerance = tolerance_text(result); !tolerance.empty()) object["tolerance"] = tolerance;
  return object;
}

std::string verification_text(const Equivalence& result) {
  Table table({"output", "max abs", "max rel", "cosine", ""});
  for (const OutputComparison& output : result.outputs)
    table.add({output.name, fmt::format("{:.3g}", output.difference.max_absolute),
               fmt::format("{:.3g}", output.difference.max_relative), fmt::format("{:.9f}", output.difference.cosine),
               output.difference.within ? "ok" : "DIFFERS"});
  const std::string tolerance = tolerance_text(result);
  const std::string verdict =
      result.equal ? fmt::format("{}{}{}\n", tried_text(result), tolerance.empty() ? "" : "; ", tolerance)
                   : fmt::format("different: {}\n", result.reason);
  return (table.empty() ? std::string() : table.text()) + verdict;
}

}  // namespace hone

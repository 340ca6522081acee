#include "learn/policy/policy.h"

#include <algorithm>

#include "base/error.h"

namespace hone {
namespace {

constexpr std::uint64_t kUntrainedSeed = 1;

const std::map<std::string, std::string>& checked_card(const Safetensors& contents, std::string_view source) {
  const auto schema = contents.metadata.find("schema");
  if (schema == contents.metadata.end()) fail("{}: the policy does not say which features it was trained on", source);
  if (schema->second != kFeatureSchema)
    fail("{}: the policy was trained on features '{:.60}', but this hone makes '{}'", source, schema->second,
         kFeatureSchema);
  if (!is_intact(contents).value_or(true)) fail("{}: the weights are not those that the card was written for", source);
  return contents.metadata;
}

}  // namespace

Policy::Policy(const Safetensors& contents, std::string_view source)
    : card_(checked_card(contents, source)),
      head_(head_of(contents, source)),
      plans_(contents, "", kSights, source),
      moves_(contents, std::string(kMovePrefix), kMoveSights, source) {
  std::ranges::copy(array_of(contents, "wait", {kWaitSights}, source).values, wait_.begin());
}

Taste Policy::taste(const GraphView& graph, const Features& features) const {
  return {.weights = plans_.weights(graph, features), .wait = wait_};
}

MoveTaste Policy::move_taste(const GraphView& graph, const Features& features) const {
  return {moves_.weights(graph, features)};
}

Safetensors read_policy(const std::string& name) {
  if (name == "untrained") {
    Safetensors contents = untrained_networks({}, kUntrainedSeed);
    contents.metadata["method"] = "none";
    contents.metadata["schema"] = kFeatureSchema;
    return contents;
  }
  for (const BuiltinPolicy& policy : builtin_policies())
    if (policy.name == name)
      return parse_safetensors(std::as_bytes(std::span(policy.bytes.data(), policy.bytes.size())), name);
  return read_safetensors(name);
}

std::string policy_for(const Objective& objective, std::string_view family) {
  return fmt::format("{}-{}", family, objective.asks_for(Measure::memory) ? "memory" : "seconds");
}

}  // namespace hone

#include "learn/policy/policy.h"

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/suggestion.h"
#include "learn/policy/card.h"

namespace hone {
namespace {

const std::map<std::string, std::string>& checked_card(const Safetensors& contents, const PolicyKind& kind,
                                                       std::string_view source) {
  const std::string_view schema = card_entry(contents, "schema");
  if (schema.empty()) fail("{}: the policy does not say which features it was trained on", source);
  if (schema != kind.schema())
    fail("{}: the policy was trained on features '{:.60}', but this hone makes '{}'", source, schema, kind.schema());
  if (!is_intact(contents).value_or(true)) fail("{}: the weights are not those that the card was written for", source);
  return contents.metadata;
}

}  // namespace

Policy::Policy(const Safetensors& contents, std::string_view source)
    : kind_(&policy_kind_in(contents, source)), card_(checked_card(contents, *kind_, source)) {
  for (const PolicyKind::Part& part : kind_->parts()) {
    const NetworkShape shape = shape_in(contents, part.describe({}).prefix, source);
    parts_.push_back({part.name, shape, Network(part.describe(shape), contents, source)});
  }
}

std::string Policy::digest() const {
  const auto sealed = card_.find(kSeal);
  return sealed == card_.end() ? std::string() : sealed->second;
}

const Network& Policy::network(std::string_view part) const {
  const auto found = std::ranges::find(parts_, part, &Part::name);
  HONE_CHECK(found != parts_.end(), "policies of kind '{}' have no network '{}'", kind_->name(), part);
  return found->network;
}

Safetensors read_policy(const std::string& name) {
  std::vector<std::string_view> names;
  for (const BuiltinPolicy& policy : builtin_policies()) {
    if (policy.name == name)
      return parse_safetensors(std::as_bytes(std::span(policy.bytes.data(), policy.bytes.size())), name);
    names.push_back(policy.name);
  }
  std::error_code ignored;
  const bool is_path = name.find_first_of("./") != std::string::npos;
  if (!is_path && !std::filesystem::exists(name, ignored))
    fail_usage("'{:.60}' is neither a built-in policy nor a file{}", name, suggestion_or_all(name, names));
  return read_safetensors(name);
}

std::string policy_for(const Objective& objective, std::string_view family) {
  return fmt::format("{}-{}", family, objective.asks_for(Measure::memory) ? "memory" : "seconds");
}

}  // namespace hone

#pragma once

#include <string_view>

#include "learn/policy/policy.h"

namespace hone {

/// What a policy is made like: enough to make one that has learned nothing.
struct PolicyForm {
  const PolicyKind* kind = nullptr;
  NetworkShape shape;
};
/// Its kind, and the shape of its first network.
PolicyForm form_of(const Policy& policy);

/// Whether a name means a policy that has learned nothing: `untrained` or `zero-step`.
bool is_unlearned(std::string_view name);
/// Whether a name must be that of a policy that exists.
inline bool names_a_file(std::string_view name) { return !name.empty() && !is_unlearned(name); }

/// A policy of that form that has learned nothing. `untrained`: all weights are drawn at random. `zero-step`: the same
/// with the rule made by hand that learning starts from, which is what zero steps of training come to. So either is
/// like the policy that it is compared with in everything but what was learned.
Safetensors unlearned_policy(std::string_view name, const PolicyForm& form, const Objective& objective);

}  // namespace hone

#include "learn/policy/unlearned_policy.h"

#include "base/error.h"

namespace hone {
namespace {

constexpr std::string_view kUntrained = "untrained", kZeroStep = "zero-step";
constexpr std::uint64_t kUntrainedSeed = 1;  // that of training with seed 0

}  // namespace

PolicyForm form_of(const Policy& policy) { return {&policy.kind(), policy.parts().front().shape}; }

bool is_unlearned(std::string_view name) { return name == kUntrained || name == kZeroStep; }

Safetensors unlearned_policy(std::string_view name, const PolicyForm& form, const Objective& objective) {
  HONE_CHECK(is_unlearned(name), "'{}' is a policy that may have learned something", name);
  Safetensors contents = form.kind->draw_networks(form.shape, kUntrainedSeed);
  if (name == kZeroStep) form.kind->set_first_rule(contents, objective);
  contents.metadata["method"] = "none";
  return contents;
}

}  // namespace hone

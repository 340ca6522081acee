#include "deliver/reference_check.h"

#include <algorithm>

#include "base/error.h"
#include "base/timer.h"
#include "run/reference/reference.h"

namespace hone {
namespace {

/// Whether other inputs might do: all operators are known, and inputs are drawn.
bool may_run_on_others(const Model& model, const EquivalenceOptions& options) {
  return options.files.empty() && unsupported_operators(model).empty() &&
         std::ranges::any_of(model.graph.inputs(),
                             [&](ValueId id) { return !model.graph.value(id).constant.has_value(); });
}

}  // namespace

ReferenceCheck::ReferenceCheck(Model original, EquivalenceOptions options)
    : original_(std::move(original)), options_(std::move(options)) {
  const Timer timer;
  const auto run = [this](std::span<const Datum> inputs) {
    results_.push_back(ReferenceInterpreter(original_, options_.seed).run(inputs));
    return results_.back();
  };
  try {
    check_equivalence(RunnableModel{original_, run},
                      RunnableModel{original_, [this](std::span<const Datum>) { return results_.back(); }}, options_);
  } catch (const InputError& error) {
    if (error.code() != ExitCode::bad_model || !may_run_on_others(original_, options_)) throw;
    fail("{}; if inputs drawn by type do not suit it, --input gives others", error.what());
  }
  seconds_ = timer.seconds();
}

Equivalence ReferenceCheck::compare(const Model& candidate) const {
  std::size_t round = 0;
  const auto remembered = [&](std::span<const Datum>) { return results_[round++]; };
  const auto run = [&](std::span<const Datum> inputs) {
    return ReferenceInterpreter(candidate, options_.seed).run(inputs);
  };
  try {
    return check_equivalence(RunnableModel{original_, remembered}, RunnableModel{candidate, run}, options_);
  } catch (const InputError& error) {
    return {.equal = false, .reason = fmt::format("does not run: {}", error.what()), .outputs = {}, .inputs_tried = 0};
  }
}

}  // namespace hone

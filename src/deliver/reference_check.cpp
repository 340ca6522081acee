#include "deliver/reference_check.h"

#include <algorithm>

#include "base/error.h"
#include "run/verify/memory_need.h"

namespace hone {
namespace {

bool draws_inputs(const Model& model, const EquivalenceOptions& options) {
  return options.files.empty() && std::ranges::any_of(model.graph.inputs(), [&](ValueId id) {
           return !model.graph.value(id).constant.has_value();
         });
}

}  // namespace

ReferenceCheck::ReferenceCheck(Model original, EquivalenceOptions options) {
  require_memory(original);
  try {
    runs_.emplace(original, options);
  } catch (const InputError& error) {
    if (error.code() != ExitCode::bad_model || !draws_inputs(original, options)) throw;
    fail("{}; if inputs drawn by type do not suit it, --input gives others", error.what());
  }
}

Equivalence ReferenceCheck::compare(const Model& candidate) const {
  try {
    return runs_->compare(candidate);
  } catch (const InputError& error) {
    return {.equal = false, .reason = fmt::format("does not run: {}", error.what()), .outputs = {}, .inputs_tried = 0};
  }
}

}  // namespace hone

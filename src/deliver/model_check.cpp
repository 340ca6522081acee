#include "deliver/model_check.h"

#include <algorithm>

#include "base/error.h"
#include "base/retry.h"
#include "base/timer.h"
#include "graph/ops/run_estimate.h"
#include "run/reference/reference.h"

namespace hone {
namespace {

/// Whether what does not run may run all the same, elsewhere or on other inputs.
bool may_run(const Model& original, const DeliveryRequest& request) {
  if (!unsupported_operators(original).empty() || !original.graph.encoded_sources().empty()) return true;
  return request.input_files.empty() && std::ranges::any_of(original.graph.inputs(), [&](ValueId id) {
           return !original.graph.value(id).constant.has_value();
         });
}

/// Why nobody waits for a run of a model with static types; empty where it is short enough.
std::string too_long(const Model& model, const DeliveryRequest& request) {
  constexpr double kMostOperations = 1e12;  // minutes on the reference interpreter
  const double operations = estimate_run(model).operations;
  if (request.effort != DeliveryEffort::quick || operations <= kMostOperations) return {};
  return fmt::format("a run takes {:.1e} operations, for which -O1 does not wait; -O2 does", operations);
}

}  // namespace

ModelCheck::ModelCheck(const Model& original, const DeliveryRequest& request, EquivalenceOptions options)
    : made_static_([make_static = request.make_static](const Model& model) {
        Model copy = model;
        make_static(copy);
        return copy;
      }) {
  const Timer timer;
  if (!request.assumes_sizes) {  // sizes that the user chose and that do not fit are told as such
    obstacle_ = too_long(made_static_(original), request);
    if (!obstacle_.empty()) return;
  }
  const bool known = unsupported_operators(original).empty();  // else no size makes it run
  const auto try_others = [&](std::string_view refusal) {
    return known && request.other_sizes && request.other_sizes(refusal);
  };
  try {
    until_accepted([&] { reference_.emplace(made_static_(original), options); }, try_others);
    where_ = "reference interpreter";
  } catch (const InputError& error) {
    if (error.code() != ExitCode::bad_model) throw;
    obstacle_ = error.what();
    try_runtime(original, request, options);
    if (!compares() && !may_run(original, request)) throw;
  }
  seconds_ = timer.seconds();
}

/// A runtime compares only what it runs to the same results twice.
void ModelCheck::try_runtime(const Model& original, const DeliveryRequest& request, const EquivalenceOptions& options) {
  const std::shared_ptr<const Runtime> runtime = request.runtime ? request.runtime : request.checker;
  if (!runtime || !runtime->available()) return;
  std::string failure;
  try {
    auto reference = std::make_unique<const RuntimeReference>(runtime, original, options, made_static_);
    const Equivalence with_itself = reference->compare(original);
    if (with_itself.equal) {
      on_runtime_ = std::move(reference);
      where_ = runtime->title();
      return;
    }
    failure = with_itself.reason;
  } catch (const InputError& error) {
    failure = error.what();
  }
  obstacle_ += fmt::format("; {}: {:.120}", runtime->title(), failure);  // which may be a page long
}

std::span<const Movement> ModelCheck::movements() const {
  return reference_ ? std::span<const Movement>(reference_->movements()) : std::span<const Movement>();
}

Equivalence ModelCheck::compare(const Model& candidate) const {
  if (on_runtime_) return on_runtime_->compare(candidate);
  if (!reference_) return {};
  try {
    return reference_->compare(made_static_(candidate));
  } catch (const InputError& error) {
    return {.equal = false, .reason = error.what(), .outputs = {}, .inputs_tried = 0};
  }
}

}  // namespace hone

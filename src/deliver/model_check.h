#pragma once

#include <memory>
#include <optional>
#include <string>

#include "deliver/delivery.h"
#include "deliver/reference_check.h"
#include "deliver/runtime_reference.h"

namespace hone {

/// Compares changed models with an original wherever that runs: on the reference interpreter, else on the runtime of
/// the request. Where neither runs it, as for an operator of a library that is not at hand, nothing is compared.
class ModelCheck {
 public:
  /// Runs the original. Throws InputError where it cannot be run though all its operators are known and no input had
  /// to be drawn: then the model itself or what the user gave is at fault.
  ModelCheck(const Model& original, const DeliveryRequest& request, EquivalenceOptions options);

  bool compares() const { return !where_.empty(); }
  /// What runs the models: `reference interpreter`. Empty where nothing does.
  const std::string& where() const { return where_; }
  /// Why the reference interpreter does not run the original, and the checker neither if nothing compares.
  const std::string& obstacle() const { return obstacle_; }

  /// Whether a model computes the same; where nothing compares it is taken to.
  Equivalence compare(const Model& candidate) const;

  /// What rounding does to the original's outputs, by input tried; none where it is not known.
  std::span<const Movement> movements() const;

  /// How long the original took, or both on a runtime.
  double seconds() const { return seconds_; }

 private:
  void try_runtime(const Model& original, const DeliveryRequest& request, const EquivalenceOptions& options);

  std::function<Model(const Model&)> made_static_;
  std::optional<ReferenceCheck> reference_;
  std::unique_ptr<const RuntimeReference> on_runtime_;
  std::string where_, obstacle_;
  double seconds_ = 0;
};

}  // namespace hone

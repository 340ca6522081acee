#pragma once

#include <functional>

#include "base/child_process.h"
#include "deliver/runtime_check.h"

namespace hone {

/// An original on a runtime that models are compared with, for what the reference interpreter cannot run.
class RuntimeReference {
 public:
  /// `made_static` gives a copy of a model with static types, for which inputs are drawn.
  RuntimeReference(std::shared_ptr<const Runtime> runtime, const Model& original, EquivalenceOptions options,
                   std::function<Model(const Model&)> made_static);

  /// Runs both; to agree with one of the runtime's baselines is enough. What does not run is not equal.
  Equivalence compare(const Model& candidate) const;

 private:
  std::shared_ptr<const Runtime> runtime_;
  EquivalenceOptions options_;
  std::function<Model(const Model&)> made_static_;
  TemporaryFolder folder_;
  Model original_;
  std::filesystem::path original_file_;
};

}  // namespace hone

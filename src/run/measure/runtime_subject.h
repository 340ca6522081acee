#pragma once

#include "graph/ops/datum.h"
#include "run/measure/measurement.h"

namespace hone {

/// Makes models ready to run on one runtime; a process has one.
class RuntimeHost {
 public:
  explicit RuntimeHost(const MeasureOptions& options);

  /// Of ONNX Runtime, which must be the runtime.
  const ort::Environment& environment() const { return *environment_; }
  /// Name and version.
  std::string name() const;
  /// Inputs of a model: from the files given, else drawn at random.
  std::vector<Datum> inputs_of(const Candidate& candidate) const;
  /// The host, the candidate and what it returns must be kept in that order.
  std::unique_ptr<Subject> make(const Candidate& candidate, std::vector<Datum> inputs) const;

 private:
  MeasureOptions options_;
  std::optional<ort::Environment> environment_;
};

}  // namespace hone

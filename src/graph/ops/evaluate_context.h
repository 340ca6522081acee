#pragma once

#include <functional>

#include "base/random.h"
#include "graph/ops/datum.h"
#include "graph/ops/op.h"

namespace hone {

/// What an operator's `evaluate` sees: the contents of its inputs, and where it leaves its outputs.
class EvaluateContext : public NodeReader {
 public:
  using RunBody = std::function<std::vector<Datum>(std::string_view attribute, std::span<const Datum> inputs)>;

  EvaluateContext(const OpEntry& entry, const Node& node, int version, std::span<const Datum> inputs, RunBody run_body,
                  std::uint64_t seed)
      : NodeReader(entry, node, version),
        inputs_(inputs),
        outputs_(node.outputs.size()),
        run_body_(std::move(run_body)),
        rng_(seed) {}

  const Datum& input(std::size_t i) const { return inputs_[i]; }
  /// Input `i` as a tensor; throws InputError when it is omitted or no tensor.
  const Tensor& tensor(std::size_t i) const;

  void output(std::size_t i, Datum datum) {
    if (i < outputs_.size()) outputs_[i] = std::move(datum);
  }

  /// Runs a body of control flow; captured values come by themselves.
  std::vector<Datum> run_body(std::string_view attribute, std::span<const Datum> inputs) const {
    return run_body_(attribute, inputs);
  }
  /// For operators that draw random numbers and have no seed of their own.
  Rng& rng() { return rng_; }

  std::vector<Datum> take_outputs() { return std::move(outputs_); }

 private:
  std::span<const Datum> inputs_;
  std::vector<Datum> outputs_;
  RunBody run_body_;
  Rng rng_;
};

}  // namespace hone

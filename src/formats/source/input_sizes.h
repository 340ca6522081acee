#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/source/assumed_sizes.h"
#include "graph/ir/model.h"
#include "graph/ops/infer.h"

namespace hone {

/// Sizes for the dynamic dimensions of a model, as a user writes them: `batch=8` and `x:1x3x224x224`.
class InputSizes {
 public:
  /// Takes one more `x:1x3x224x224`.
  void add_shape(std::string text) { shapes_.push_back(std::move(text)); }
  /// Takes the shape of an input, unless one was written.
  void add_shape(std::string name, Shape shape) { read_.emplace(std::move(name), std::move(shape)); }
  /// Fixes the dims in the model and infers all types. Throws InputError (usage) for what does not fit.
  KnownContents apply(Model& model) const;
  /// Gives every input that still has dynamic dims a shape that the model takes and that is within limits. Returns
  /// these shapes as they would be typed, for the user to see; empty where there are no such inputs.
  std::string assume(const Model& model, const RunLimits& limits = RunLimits::of_this_machine());
  /// Assumes other sizes after a run with those assumed was refused; false when there are none to try.
  bool assume_others(std::string_view refusal);
  /// What is assumed, as it would be typed.
  std::string assumed() const { return assumed_ ? assumed_->text() : ""; }
  bool empty() const { return dims_.empty() && shapes_.empty(); }

 protected:
  std::vector<std::string> dims_, shapes_;

 private:
  FixedDims given() const;

  std::map<std::string, Shape> read_;      // of inputs
  std::shared_ptr<AssumedSizes> assumed_;  // null where nothing has to be
};

/// `x:1x3x224x224` or `x:1,3,224,224`.
std::pair<std::string, Shape> parse_shape(const std::string& text);

}  // namespace hone

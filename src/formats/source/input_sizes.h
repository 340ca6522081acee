#pragma once

#include <string>
#include <utility>
#include <vector>

#include "graph/ir/model.h"
#include "graph/ops/infer.h"

namespace hone {

/// Sizes for the dynamic dimensions of a model, as a user writes them: `batch=8` and `x:1x3x224x224`.
class InputSizes {
 public:
  /// Takes one more `x:1x3x224x224`.
  void add_shape(std::string text) { shapes_.push_back(std::move(text)); }
  /// Fixes the dims in the model and infers all types. Throws InputError (usage) for what does not fit.
  KnownContents apply(Model& model) const;
  /// Gives every input that still has dynamic dims a likely shape: one of a batch, images of 224, sequences of 16.
  /// Returns these shapes as they would be typed, for the user to see.
  std::string assume(const Model& model);
  bool empty() const { return dims_.empty() && shapes_.empty(); }

 protected:
  std::vector<std::string> dims_, shapes_;
};

/// `x:1x3x224x224` or `x:1,3,224,224`.
std::pair<std::string, Shape> parse_shape(const std::string& text);

}  // namespace hone

#pragma once

#include <deque>
#include <limits>
#include <set>
#include <string>
#include <string_view>

#include "formats/source/size_search.h"

namespace hone {

/// How much one run of a model may take.
struct RunLimits {
  double bytes = std::numeric_limits<double>::infinity();
  double operations = std::numeric_limits<double>::infinity();

  /// What is quick, and leaves room for a check in half of this machine's memory.
  static RunLimits of_this_machine();
  bool hold(const RunEstimate& run) const;
};

/// Sizes for what is open in a model: consistent with its nodes, by trying, and then as small as the limits ask for.
class AssumedSizes {
 public:
  /// In `model` all that the user gives is fixed.
  AssumedSizes(const Model& model, const RunLimits& limits);
  AssumedSizes(const AssumedSizes&) = delete;
  AssumedSizes& operator=(const AssumedSizes&) = delete;

  /// Whether there is nothing to assume.
  bool empty() const { return variables_.empty(); }
  /// Whether all nodes of the model take these sizes.
  bool fit() const { return chosen_.inferred(); }
  /// The shapes that give the inputs these sizes.
  FixedDims fixed() const { return variables_.fixed(chosen_.sizes); }
  /// The shapes of inputs as they would be typed.
  std::string text() const { return variables_.text(chosen_.sizes); }

  /// Takes other sizes after a run with these was refused, for what types do not tell: positions beyond a table, say.
  /// False when none are left that are worth a try; the first are back then.
  bool take_others(std::string_view refusal);

 private:
  void shrink();
  bool take_smaller();

  SizeVariables variables_;
  RunLimits limits_;
  SizeSearch search_;
  SizeTrial chosen_, first_;
  std::string source_;           // of the model, which refusals begin with
  std::set<Sizes> run_;          // or chosen to be
  std::deque<Sizes> others_;     // to be run next
  std::set<std::string> words_;  // of refusals of runs, without their numbers
  std::size_t trials_left_ = 300, runs_left_ = 0;
};

}  // namespace hone

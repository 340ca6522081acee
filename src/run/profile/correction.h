#pragma once

#include <array>
#include <span>
#include <vector>

#include "run/profile/graph_profile.h"

namespace hone {

/// What the correction from a sum of operator times to the time of the whole depends on; all are shares of that sum, so
/// that models of any size compare.
struct GraphFeatures {
  static constexpr std::size_t kCount = 3;
  double sum_seconds = 0;  // of all nodes, and of a run besides them
  std::array<double, kCount> shares{};
};
/// Throws InputError when the table lacks a configuration that could be timed.
GraphFeatures features_of(const GraphProfile& profile, const ProfileContext& context, const ProfileSource& source);

/// A graph whose time as a whole is known too.
struct MeasuredGraph {
  GraphFeatures features;
  double seconds = 0;
};

/// How much longer or shorter a graph takes than its operators one by one: the logarithm of that ratio is a linear
/// function of the features, fitted by ridge regression in which graphs far off the rest count less. Where a feature
/// is larger than in any graph it was taught by, the line says nothing: there it corrects the less, the farther away.
/// Without training it corrects nothing.
class Correction {
 public:
  Correction() = default;
  static Correction fit(std::span<const MeasuredGraph> graphs);

  double predict_seconds(const GraphFeatures& features) const;

 private:
  std::array<double, GraphFeatures::kCount + 1> weights_{};  // the last is constant
  std::array<double, GraphFeatures::kCount> taught_{};       // the largest share seen of each
};

}  // namespace hone

#pragma once

#include <cstddef>
#include <span>

namespace hone {

/// How far predictions of advantages can be relied on.
struct AdvantageCalibration {
  double explained = 0;  // share of the variance of labels
  double large = 0;      // of the tenth with the largest predictions: share that is among the largest tenth of labels
  double sign = 0;       // of predictions beyond a logarithm of 1: share with the right sign
  std::size_t samples = 0;
};

/// Predictions and what came of them, both as signed logarithms.
AdvantageCalibration calibration_of(std::span<const float> predicted, std::span<const float> labels);

}  // namespace hone

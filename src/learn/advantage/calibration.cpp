#include "learn/advantage/calibration.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace hone {
namespace {

/// The value that the largest tenth of all magnitudes reaches.
float tenth_largest(std::span<const float> values) {
  std::vector<float> magnitudes;
  for (const float value : values) magnitudes.push_back(std::abs(value));
  const auto place = magnitudes.begin() + static_cast<std::ptrdiff_t>(magnitudes.size() * 9 / 10);
  std::ranges::nth_element(magnitudes, place);
  return *place;
}

}  // namespace

AdvantageCalibration calibration_of(std::span<const float> predicted, std::span<const float> labels) {
  AdvantageCalibration found{.samples = labels.size()};
  if (labels.empty()) return found;
  double mean = 0, errors = 0, variance = 0;
  for (const float label : labels) mean += label / static_cast<double>(labels.size());
  const float large_prediction = tenth_largest(predicted), large_label = tenth_largest(labels);
  double large = 0, are_large = 0, clear = 0, right = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    errors += std::pow(labels[i] - predicted[i], 2);
    variance += std::pow(labels[i] - mean, 2);
    if (std::abs(predicted[i]) >= large_prediction) {
      ++large;
      if (std::abs(labels[i]) >= large_label) ++are_large;
    }
    if (std::abs(predicted[i]) > 1) {
      ++clear;
      if (predicted[i] * labels[i] > 0) ++right;
    }
  }
  found.explained = variance > 0 ? 1 - errors / variance : 0;
  found.large = are_large / std::max(1.0, large);
  found.sign = right / std::max(1.0, clear);
  return found;
}

}  // namespace hone

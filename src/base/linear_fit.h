#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace hone {

/// A linear function of rows of numbers whose weights are known roughly and better with every labelled row: Bayesian
/// linear regression, by recursive least squares. A row takes time by the square of its size.
class LinearFit {
 public:
  LinearFit() = default;
  /// What weights are expected to be, and the variance of each.
  LinearFit(std::vector<double> weights, std::span<const double> variances)
      : weights_(std::move(weights)), covariance_(weights_.size() * weights_.size()), along_(weights_.size()) {
    for (std::size_t i = 0; i < weights_.size(); ++i) covariance_[i * weights_.size() + i] = variances[i];
  }

  template <typename Number>
  double predict(std::span<const Number> row) const {
    double sum = 0;
    for (std::size_t i = 0; i < weights_.size(); ++i) sum += weights_[i] * row[i];
    return sum;
  }

  /// How uncertain that is: the variance of what is predicted.
  template <typename Number>
  double variance(std::span<const Number> row) const {
    const std::size_t size = weights_.size();
    double sum = 0;
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = 0; j < size; ++j) sum += row[i] * covariance_[i * size + j] * row[j];
    return sum;
  }

  /// `noise` is the variance of the label.
  template <typename Number>
  void learn(std::span<const Number> row, double label, double noise) {
    const std::size_t size = weights_.size();
    double variance = noise;
    for (std::size_t i = 0; i < size; ++i) {
      along_[i] = 0;
      for (std::size_t j = 0; j < size; ++j) along_[i] += covariance_[i * size + j] * row[j];
      variance += along_[i] * row[i];
    }
    const double surprise = (label - predict(row)) / variance;
    for (std::size_t i = 0; i < size; ++i) {
      weights_[i] += along_[i] * surprise;
      for (std::size_t j = 0; j < size; ++j) covariance_[i * size + j] -= along_[i] * along_[j] / variance;
    }
  }

 private:
  std::vector<double> weights_, covariance_;
  std::vector<double> along_;  // covariance times the row at hand
};

}  // namespace hone

#include "rewrite/worth/graph_time.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace hone {
namespace {

using Weights = std::array<double, kTimeParts>;

constexpr double kDifferenceImportance = 20;         // of what rewrites of a model differ by
constexpr double kStrengths[] = {0.01, 0.1, 1, 10};  // with which weights are held where they begin
constexpr double kLeastShare = 0.02;                 // of the time, that a part is taken for where it is smaller

/// Where weights begin: what fuses is expected to cost less, what is not part of the sum of prices nothing.
Weights first_weights() {
  Weights weights;
  weights.fill(1);
  weights[static_cast<std::size_t>(TimePart::reordering)] = 0;
  weights[static_cast<std::size_t>(TimePart::kernels)] = 0;
  return weights;
}

double product_of(const Weights& weights, const TimeParts& parts) {
  return std::inner_product(weights.begin(), weights.end(), parts.seconds.begin(), 0.0);
}

/// A symmetric system of equations whose unknowns may not be below zero.
class Equations {
 public:
  void add(const Weights& row, double target, double importance) {
    for (std::size_t i = 0; i < kTimeParts; ++i) {
      right_[i] += importance * row[i] * target;
      for (std::size_t j = 0; j < kTimeParts; ++j) matrix_[i][j] += importance * row[i] * row[j];
    }
  }
  void hold(std::size_t i, double at, double importance) {
    matrix_[i][i] += importance;
    right_[i] += importance * at;
  }

  /// Exact for those above zero, each in turn until none changes (coordinate descent; the matrix is positive definite).
  Weights solve(Weights weights) const {
    constexpr int kPasses = 2000;
    constexpr double kSettled = 1e-10;
    for (int pass = 0; pass < kPasses; ++pass) {
      double change = 0;
      for (std::size_t i = 0; i < kTimeParts; ++i) {
        const double rest = std::inner_product(matrix_[i].begin(), matrix_[i].end(), weights.begin(), 0.0);
        const double next = std::max(0.0, weights[i] + (right_[i] - rest) / matrix_[i][i]);
        change = std::max(change, std::fabs(next - weights[i]));
        weights[i] = next;
      }
      if (change < kSettled) break;
    }
    return weights;
  }

 private:
  std::array<Weights, kTimeParts> matrix_{};
  Weights right_{};
};

Weights share_of(const TimeParts& parts, double of_seconds) {
  Weights row;
  std::ranges::transform(parts.seconds, row.begin(), [&](double seconds) { return seconds / of_seconds; });
  return row;
}

/// By how much the sum of prices is off as a whole.
double scale_of(std::span<const MeasuredRewrites* const> models) {
  std::vector<double> ratios;
  for (const MeasuredRewrites* model : models)
    ratios.push_back(model->start.seconds / std::max(1e-12, product_of(first_weights(), model->start.parts)));
  std::ranges::nth_element(ratios, ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2));
  return ratios[ratios.size() / 2];
}

Weights fitted(std::span<const MeasuredRewrites* const> models, double strength) {
  Weights first = first_weights();
  const double scale = scale_of(models);
  for (double& weight : first) weight *= scale;
  Equations equations;
  Weights largest{};  // share of the time that a part comes to in some model
  for (const MeasuredRewrites* model : models) {
    const double whole = model->start.seconds;
    const Weights start = share_of(model->start.parts, whole);
    equations.add(start, 1, 1);
    for (std::size_t i = 0; i < kTimeParts; ++i) largest[i] = std::max(largest[i], start[i]);
    const double each = kDifferenceImportance / static_cast<double>(std::max<std::size_t>(1, model->rewrites.size()));
    for (const MeasuredRewrite& rewrite : model->rewrites) {
      Weights row = share_of(rewrite.parts, whole);
      for (std::size_t i = 0; i < kTimeParts; ++i) row[i] -= start[i];
      equations.add(row, (rewrite.seconds - whole) / whole, each);
    }
  }
  for (std::size_t i = 0; i < kTimeParts; ++i)
    equations.hold(i, first[i], strength * std::pow(std::max(largest[i], kLeastShare), 2));
  return equations.solve(first);
}

/// Mean squared error of what rewrites of models differ by, as shares of the time of each.
double difference_error(const Weights& weights, const MeasuredRewrites& model) {
  if (model.rewrites.empty()) return 0;
  double sum = 0;
  for (const MeasuredRewrite& rewrite : model.rewrites) {
    const double predicted = product_of(weights, rewrite.parts) - product_of(weights, model.start.parts);
    sum += std::pow((predicted - (rewrite.seconds - model.start.seconds)) / model.start.seconds, 2);
  }
  return sum / static_cast<double>(model.rewrites.size());
}

/// The strength by which models that are left out are told best.
double chosen_strength(std::span<const MeasuredRewrites* const> models) {
  double best = kStrengths[0], least = std::numeric_limits<double>::infinity();
  for (const double strength : kStrengths) {
    double error = 0;
    for (const MeasuredRewrites* left_out : models) {
      std::vector<const MeasuredRewrites*> others(models.begin(), models.end());
      std::erase(others, left_out);
      error += std::sqrt(difference_error(fitted(others, strength), *left_out));  // no single model decides
    }
    if (error < least) {
      least = error;
      best = strength;
    }
  }
  return best;
}

}  // namespace

GraphTime::GraphTime() : weights_(first_weights()) {}

GraphTime GraphTime::fit(std::span<const MeasuredRewrites> models) {
  GraphTime time;
  std::vector<const MeasuredRewrites*> usable;
  for (const MeasuredRewrites& model : models)
    if (model.start.seconds > 0) usable.push_back(&model);
  if (usable.empty()) return time;
  constexpr double kAlone = 1;  // where there is no other model to tell
  time.weights_ = fitted(usable, usable.size() > 2 ? chosen_strength(usable) : kAlone);
  return time;
}

double GraphTime::seconds(const TimeParts& parts) const { return product_of(weights_, parts); }

}  // namespace hone

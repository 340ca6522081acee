#pragma once

#include <utility>
#include <vector>

namespace hone {

/// How much of a peak rate an operation of a given size reaches: straight lines between points over the logarithm of
/// the size, constant beyond the first and last. Without points everything reaches the peak.
class EfficiencyCurve {
 public:
  struct Point {
    double size = 1;  // flops or bytes
    double efficiency = 1;
    friend bool operator==(const Point&, const Point&) = default;
  };

  EfficiencyCurve() = default;
  /// Sizes must be positive and ascending, efficiencies positive.
  explicit EfficiencyCurve(std::vector<Point> points) : points_(std::move(points)) {}

  double at(double size) const;
  const std::vector<Point>& points() const { return points_; }
  friend bool operator==(const EfficiencyCurve&, const EfficiencyCurve&) = default;

 private:
  std::vector<Point> points_;
};

}  // namespace hone

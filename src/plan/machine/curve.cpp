#include "plan/machine/curve.h"

#include <algorithm>
#include <cmath>

namespace hone {

double EfficiencyCurve::at(double size) const {
  if (points_.empty()) return 1;
  const auto above = std::ranges::upper_bound(points_, size, {}, &Point::size);
  if (above == points_.begin()) return points_.front().efficiency;
  if (above == points_.end()) return points_.back().efficiency;
  const Point& low = *(above - 1);
  const Point& high = *above;
  const double part = std::log(size / low.size) / std::log(high.size / low.size);
  return low.efficiency + part * (high.efficiency - low.efficiency);
}

}  // namespace hone

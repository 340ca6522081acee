#include "bench/advantage_results.h"

#include <algorithm>

#include "base/error.h"

namespace hone {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kShareOfGain = 0.95;

}  // namespace

double median_of_values(std::vector<double> values) {
  HONE_CHECK(!values.empty(), "there is no median of nothing");
  std::ranges::sort(values);
  return values[(values.size() - 1) / 2];
}

double AdvantageCurve::evaluations_to(double value) const {
  for (const Point& point : points)
    if (point.value <= value) return static_cast<double>(std::max<std::uint64_t>(1, point.evaluations));
  return std::numeric_limits<double>::infinity();
}

Json AdvantageCurve::json() const {
  Json list = Json::array();
  for (const Point& point : points) list.push_back({point.evaluations, point.value});
  return {{"curve", list}, {"cpu_seconds", cpu_seconds}};
}

AdvantageCurve AdvantageCurve::of(const Json& json) {
  AdvantageCurve curve{.cpu_seconds = json.at("cpu_seconds")};
  for (const Json& point : json.at("curve")) curve.points.push_back({point.at(0), point.at(1)});
  return curve;
}

std::optional<double> AdvantageContest::samples_ratio(const std::string& fast, const std::string& slow) const {
  std::vector<double> needed, needed_by_slow;
  for (std::size_t seed = 0; seed < curves.at(slow).size(); ++seed) {
    const AdvantageCurve &one = curves.at(fast)[seed], &other = curves.at(slow)[seed];
    const double target = other.start() - kShareOfGain * (other.start() - other.best());
    if (!(other.best() < other.start())) continue;
    needed.push_back(one.evaluations_to(target));
    needed_by_slow.push_back(other.evaluations_to(target));
  }
  if (needed.empty()) return std::nullopt;
  return median_of_values(needed) / median_of_values(needed_by_slow);
}

double AdvantageContest::value(const std::string& name) const {
  std::vector<double> values;
  for (const AdvantageCurve& curve : curves.at(name)) values.push_back(curve.best());
  return median_of_values(std::move(values));
}

double AdvantageContest::quality_percent(const std::string& one, const std::string& other) const {
  return 100 * (1 - value(one) / value(other));
}

double AdvantageContest::over_priority_percent(std::span<const std::string> names) const {
  double best = priority;
  for (const std::string& name : names)
    if (const auto found = curves.find(name); found != curves.end()) best = std::min(best, value(name));
  return 100 * (1 - best / priority);
}

}  // namespace hone

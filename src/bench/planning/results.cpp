#include "bench/planning/results.h"

#include <algorithm>

namespace hone {
namespace {

constexpr std::size_t kCourseSteps = 64;

}  // namespace

/// Points of the curve are taken by the clock on the wall; processor seconds are shared out over it evenly.
PlanningOutcome::PlanningOutcome(const Solution& solution, double seconds)
    : value(solution.score.value), cpu_seconds(seconds), used_up(solution.end == SearchEnd::evaluations) {
  auto point = solution.curve.begin();
  for (std::size_t step = 0; step < kCourseSteps; ++step) {
    const double until = solution.seconds * static_cast<double>(step) / kCourseSteps;
    while (point + 1 != solution.curve.end() && (point + 1)->seconds <= until) ++point;
    course.push_back(point->score.value);
  }
  course.push_back(value);
}

PlanningOutcome::PlanningOutcome(const nlohmann::ordered_json& json)
    : value(json.at("value")),
      cpu_seconds(json.at("cpu_seconds")),
      used_up(json.at("used_up")),
      course(json.at("course")) {}

nlohmann::ordered_json PlanningOutcome::json() const {
  return {{"value", value}, {"cpu_seconds", cpu_seconds}, {"used_up", used_up}, {"course", course}};
}

double PlanningOutcome::after(double seconds) const {
  if (seconds >= cpu_seconds) return value;
  return course[static_cast<std::size_t>(seconds / cpu_seconds * static_cast<double>(course.size() - 1))];
}

template <class Figure>
double PlanningResults::mean(PlanningSearch search, Figure figure) const {
  double sum = 0;
  for (search.seed = 0; search.seed < seeds_; ++search.seed) sum += figure(of(search));
  return sum / static_cast<double>(seeds_);
}

double PlanningResults::mean_value(const PlanningSearch& search) const {
  return mean(search, [](const PlanningOutcome& outcome) { return outcome.value; });
}

double PlanningResults::mean_cpu_seconds(const PlanningSearch& search) const {
  return mean(search, [](const PlanningOutcome& outcome) { return outcome.cpu_seconds; });
}

}  // namespace hone

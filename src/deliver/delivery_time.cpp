#include "deliver/delivery_time.h"

#include <algorithm>
#include <limits>

#include "base/interrupt.h"

namespace hone {
namespace {

constexpr double kMeasuredSeconds = 24, kThoroughSeconds = 90;  // of timed runs in the search
constexpr double kMeasuredLimit = 300, kThoroughLimit = 900;    // by the wall clock, for everything
constexpr double kTimedShare = 0.6;                             // timed runs of a limit that the user gives
constexpr double kFinalShare = 0.15, kShortestFinal = 1;        // of these, for each proposal in the last measurement

constexpr double kLongestFinal = 3;  // times that, with time to spare

}  // namespace

bool DeliveryTime::has_time_for_several_inputs() const {
  return is_thorough() && request_.seconds.value_or(kThoroughSeconds) >= kThoroughSeconds;
}

double DeliveryTime::timed_seconds() const {
  if (request_.seconds) return kTimedShare * *request_.seconds;
  return is_thorough() ? kThoroughSeconds : kMeasuredSeconds;
}

double DeliveryTime::final_seconds() const {
  return interrupted() ? kShortestFinal : std::max(kShortestFinal, kFinalShare * timed_seconds());
}

double DeliveryTime::final_seconds(std::size_t proposals, double checking) const {
  const double usual = final_seconds();
  if (!request_.seconds || interrupted()) return usual;
  const double spare = seconds_left() - checking;
  return std::clamp(spare / (3 * static_cast<double>(proposals)), usual, kLongestFinal * usual);
}

double DeliveryTime::seconds_left() const {
  if (is_counted_alone()) return std::numeric_limits<double>::infinity();
  return request_.seconds.value_or(is_thorough() ? kThoroughLimit : kMeasuredLimit) - timer_.seconds();
}

}  // namespace hone

#include "deliver/delivery_time.h"

#include <algorithm>
#include <limits>

#include "base/interrupt.h"

namespace hone {
namespace {

constexpr double kMeasuredSeconds = 24, kThoroughSeconds = 90;       // of timed runs in the search
constexpr double kMeasuredLimit = 115, kThoroughLimit = 900;         // by the wall clock, for everything
constexpr double kLooksWorthWaitingFor = 50, kSlowModelLimit = 300;  // at slow models more is waited for
constexpr double kTimedShare = 0.6;                                  // timed runs of a limit that the user gives
constexpr double kFinalShare = 0.15, kShortestFinal = 1;  // of these, for each proposal in the last measurement
constexpr double kLongestFinal = 3;                       // times that, where time is left
constexpr double kFinalRuns = 40;                         // of a slow model

}  // namespace

bool DeliveryTime::has_time_for_several_inputs() const {
  return is_thorough() && request_.seconds.value_or(kThoroughSeconds) >= kThoroughSeconds;
}

double DeliveryTime::timed_seconds() const {
  if (request_.seconds) return kTimedShare * *request_.seconds;
  return is_thorough() ? kThoroughSeconds : kMeasuredSeconds;
}

void DeliveryTime::saw(double look_seconds, double check_seconds, double run_seconds) {
  look_seconds_ = look_seconds;
  check_seconds_ = check_seconds;
  run_seconds_ = run_seconds;
}

double DeliveryTime::search_seconds_left() const {
  const double once = 2 * least_final_seconds() + look_seconds_, checking = check_seconds_ + look_seconds_;
  // Where no gain is proved the cleaned model is measured as well, for which a limit that is given may be too short.
  const double measuring = request_.seconds ? once : 2 * once;
  return seconds_left() - measuring - checking;
}

/// Where nobody gave a limit, a slow model is run often enough to prove a gain of some percent.
double DeliveryTime::least_final_seconds() const {
  if (interrupted()) return kShortestFinal;
  const double usual = std::max(kShortestFinal, kFinalShare * timed_seconds());
  return request_.seconds ? usual : std::clamp(kFinalRuns * run_seconds_, usual, kLongestFinal * usual);
}

/// For timed runs: making sessions takes about a look for each proposal.
double DeliveryTime::measuring_seconds_left(std::size_t proposals) const {
  return seconds_left() - check_seconds_ - look_seconds_ * static_cast<double>(proposals + 1);
}

bool DeliveryTime::can_measure(std::size_t proposals) const {
  return measuring_seconds_left(proposals) >= least_final_seconds() * static_cast<double>(proposals);
}

double DeliveryTime::final_seconds(std::size_t proposals) const {
  const double least = least_final_seconds();
  if (!request_.seconds || interrupted()) return least;
  const double once_more = 2 * (least + look_seconds_);  // for the cleaned model, where no gain is proved
  const double spare = measuring_seconds_left(proposals) - once_more;
  return std::clamp(spare / static_cast<double>(proposals), least, kLongestFinal * least);
}

double DeliveryTime::seconds_left() const {
  if (is_counted_alone()) return std::numeric_limits<double>::infinity();
  return limit_seconds() - timer_.seconds();
}

double DeliveryTime::limit_seconds() const {
  if (request_.seconds) return *request_.seconds;
  if (is_thorough()) return kThoroughLimit;
  return std::clamp(kLooksWorthWaitingFor * look_seconds_, kMeasuredLimit, kSlowModelLimit);
}

}  // namespace hone

#pragma once

#include "base/timer.h"
#include "deliver/delivery.h"

namespace hone {

/// How the time of a delivery is divided, from the moment that it is made on.
class DeliveryTime {
 public:
  /// The request must outlive it.
  explicit DeliveryTime(const DeliveryRequest& request) : request_(request) {}

  bool is_thorough() const { return request_.effort == DeliveryEffort::thorough; }
  /// Whether proposals alone are counted, whatever they take.
  bool is_counted_alone() const { return request_.evaluations && !request_.seconds; }
  bool has_time_for_several_inputs() const;

  /// Of timed runs in the search.
  double timed_seconds() const;
  /// For each proposal in the last measurement, at least.
  double final_seconds() const;
  /// The same once the search has ended, and checks need so many seconds: what is left of the user's time goes to it,
  /// a third of that to timed runs, since a longer measurement proves a smaller gain.
  double final_seconds(std::size_t proposals, double checking) const;
  /// By the wall clock, for everything.
  double seconds_left() const;

 private:
  const DeliveryRequest& request_;
  Timer timer_;
};

}  // namespace hone

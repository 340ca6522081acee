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
  /// What a short look at one proposal and a check of its results were seen to take, by the wall clock, and a run.
  void saw(double look_seconds, double check_seconds, double run_seconds);
  double look_seconds() const { return look_seconds_; }

  /// What is left for searching when the last measurement and the last check have taken what they need.
  double search_seconds_left() const;
  /// Whether a last measurement of so many proposals fits into what is left.
  bool can_measure(std::size_t proposals) const;
  /// For each proposal in the last measurement. What is left of the user's time goes to it, since a longer one proves a
  /// smaller gain.
  double final_seconds(std::size_t proposals) const;
  /// By the wall clock, for everything.
  double seconds_left() const;

 private:
  double least_final_seconds() const;
  double measuring_seconds_left(std::size_t proposals) const;
  double limit_seconds() const;

  const DeliveryRequest& request_;
  Timer timer_;
  double look_seconds_ = 0, check_seconds_ = 0, run_seconds_ = 0;
};

}  // namespace hone

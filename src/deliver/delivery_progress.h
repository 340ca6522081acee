#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/progress.h"
#include "base/timer.h"

namespace hone {

/// Tells somebody who waits how far a delivery is: the share that is done, the time left, and what it is at.
class DeliveryProgress {
 public:
  /// With `seconds`, all that may be spent, the clock tells the share; without, the parts of the work do.
  DeliveryProgress(Announcer announce, std::optional<double> seconds)
      : announce_(std::move(announce)), seconds_(seconds) {}

  /// A part begins, at whose end the share `until` of all is done. Of a part that knows, `share` tells how much of it
  /// is.
  void begin(const std::string& doing, double until, std::function<double()> share = {});
  /// What the part is at.
  void tell(const std::string& doing) const;

 private:
  double share_done() const;

  Announcer announce_;
  std::optional<double> seconds_;
  Timer timer_;
  double from_ = 0, until_ = 0;
  std::function<double()> share_;
};

}  // namespace hone

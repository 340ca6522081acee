#include "deliver/delivery_progress.h"

#include <algorithm>

#include "base/progress_line.h"

namespace hone {

void DeliveryProgress::begin(const std::string& doing, double until, std::function<double()> share) {
  from_ = until_;
  until_ = until;
  share_ = std::move(share);
  tell(doing);
}

void DeliveryProgress::tell(const std::string& doing) const {
  if (announce_) announce_(progress_text({.doing = doing, .seconds = timer_.seconds(), .share = share_done()}));
}

double DeliveryProgress::share_done() const {
  if (seconds_) return std::min(1.0, timer_.seconds() / *seconds_);
  return from_ + (until_ - from_) * (share_ ? share_() : 0);
}

}  // namespace hone

#pragma once

#include <string>
#include <vector>

#include "deliver/delivery.h"
#include "run/profile/model_profile.h"

namespace hone {

/// How much of the search goes into operators: their timing, and methods of rewriting over the timings.
struct OperatorEffort {
  std::vector<std::string> methods;
  double method_seconds;
  ProfileEffort timing;
};

OperatorEffort operator_effort(DeliveryEffort effort);

}  // namespace hone

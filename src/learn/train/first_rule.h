#pragma once

#include "learn/policy/network.h"
#include "learn/policy/training_request.h"

namespace hone::learn {

/// The networks that a request asks for. Throws InputError for an encoder or head that hone does not know.
NetworkShape shape_of(const TrainingRequest& request);

/// Makes the network for plans begin with a rule made by hand, so that learning does not start from nothing.
void set_first_rule(Safetensors& contents, Head head, const Objective& objective);

}  // namespace hone::learn

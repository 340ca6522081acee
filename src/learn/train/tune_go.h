#pragma once

#include "learn/network/safetensors.h"

namespace hone {
class Search;
struct GoTuning;
}  // namespace hone

namespace hone::learn {

/// Trains a policy of GO on the graph of one search, all of whose plans are evaluated there, and returns it.
Safetensors tune_go(Search& search, const Safetensors& policy, const GoTuning& tuning);

}  // namespace hone::learn

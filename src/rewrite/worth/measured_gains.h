#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace hone {

struct Model;

/// What rewriting a model by some families of rules, one after another and wherever they match, and changing options of
/// the runtime was measured to bring.
struct MeasuredGain {
  std::vector<std::string> steps;  // `fold`, `without SkipLayerNormFusion`
  double log_ratio = 0;            // of the times, rewritten over original
  double error = 0;                // standard, of that
};

/// All that was measured of one model on one runtime.
struct MeasuredGains {
  std::string model;    // as the user would name it
  std::string runtime;  // its name
  double seconds = 0;   // of a run of the original
  std::vector<MeasuredGain> gains;
};

}  // namespace hone

#pragma once

#include <string>
#include <vector>

namespace hone {

/// What a rewrite of a model was timed to take, as learned prices of graphs see it.
struct PriceSample {
  std::vector<double> columns;    // how much more of each column of prices it has than the original
  double expected_log_ratio = 0;  // of the times, rewritten over original, as the prices were learned
  double log_ratio = 0;           // as it was timed
  double error = 0;               // standard, of that
};

/// What timed rewrites of one model teach those prices whose columns they were told in, and no others.
struct PriceLesson {
  std::string prices;  // their digest
  std::vector<PriceSample> samples;
};

}  // namespace hone

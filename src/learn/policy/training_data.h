#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "plan/problem/workload.h"

namespace hone {

class GraphTime;
struct MeasuredGains;
struct Model;

/// What a trainer can ask for besides its request: only one that learns from graphs has them loaded. Others read files
/// of their own, or make their examples.
struct TrainingData {
  std::function<std::vector<Workload>()> workloads;  // what the user named; throws InputError
  std::function<std::vector<std::shared_ptr<const Model>>()>
      models;                                         // the same as models, of trainers that change them
  std::shared_ptr<const GraphTime> graph_time;        // by which rewrites are paid; null: the sum of prices of nodes
  std::function<std::vector<MeasuredGains>()> gains;  // of rewriting, in the stores that the user named
  std::function<std::shared_ptr<const Model>(const std::string&)> model;  // one that these speak of
};

}  // namespace hone

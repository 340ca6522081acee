#pragma once

#include "learn/train/train.h"
#include "zoo/dataset.h"

namespace hone::learn {

/// For tests: graphs of a synthetic set that are for training.
inline std::vector<Workload> synthetic_graphs(const std::string& recipe) {
  const zoo::Dataset dataset(zoo::parse_recipe(recipe));
  std::vector<Workload> graphs;
  for (const zoo::Dataset::Item& item : dataset.items_of(zoo::Split::train)) graphs.push_back(dataset.graph(item));
  return graphs;
}

/// For tests: a request that is soon done.
inline TrainingRequest small_request(const std::filesystem::path& out, std::uint64_t steps) {
  TrainingRequest request;
  request.data = {"synthetic:family=mixed,nodes=15-25,count=10,seed=4"};
  request.out = out;
  request.steps = steps;
  request.graphs = 2;
  request.samples = 6;
  request.width = 8;
  request.save_every = 3;
  return request;
}

/// For tests: does what a request asks for that names one synthetic set.
inline void train(const TrainingRequest& request) {
  train(request, {.workloads = [&] { return synthetic_graphs(request.data.front()); }});
}

}  // namespace hone::learn

// What the program finds in the library by name.

#include <nlohmann/json.hpp>

#include "learn/layer_times.h"
#include "learn/train.h"

extern "C" {

__attribute__((visibility("default"))) void hone_learn_train(const hone::TrainingRequest& request) {
  hone::learn::train(request);
}

__attribute__((visibility("default"))) void hone_learn_time_layers(std::size_t nodes, std::size_t threads,
                                                                   nlohmann::ordered_json& row) {
  const hone::learn::LayerTimes times = hone::learn::time_layers(nodes, threads);
  row = {{"nodes", nodes},
         {"edges", times.edges},
         {"forward_ms", times.forward_ms},
         {"backward_ms", times.backward_ms},
         {"pool_ms", times.pool_ms},
         {"scatter_ms", times.scatter_ms},
         {"scatter_ratio", times.scatter_ms / times.pool_ms}};
}
}

// What the program finds in the library by name.

#include <nlohmann/json.hpp>

#include "learn/train/layer_times.h"
#include "learn/train/train.h"
#include "learn/train/tune_go.h"

extern "C" {

__attribute__((visibility("default"))) hone::TrainingOutcome hone_learn_run(const hone::TrainingRequest& request,
                                                                            const hone::TrainingData& data) {
  return hone::learn::train(request, data);
}

__attribute__((visibility("default"))) void hone_learn_tune_go(hone::Search& search, const hone::Safetensors& policy,
                                                               const hone::GoTuning& tuning, hone::Safetensors& tuned) {
  tuned = hone::learn::tune_go(search, policy, tuning);
}

__attribute__((visibility("default"))) void hone_learn_time_layers(std::size_t nodes, std::size_t threads,
                                                                   nlohmann::ordered_json& row) {
  const hone::learn::LayerTimes times = hone::learn::time_layers(nodes, threads);
  row = {{"nodes", nodes},
         {"edges", times.edges},
         {"forward_ms", times.forward.ms},
         {"backward_ms", times.backward.ms},
         {"pool_ms", times.pool.ms},
         {"scatter_ms", times.scatter.ms},
         {"forward_cpu_ms", times.forward.cpu_ms},
         {"backward_cpu_ms", times.backward.cpu_ms},
         {"pool_cpu_ms", times.pool.cpu_ms},
         {"scatter_cpu_ms", times.scatter.cpu_ms},
         {"scatter_ratio", times.scatter.ms / times.pool.ms}};
}
}

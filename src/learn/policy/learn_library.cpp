#include "learn/policy/learn_library.h"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/part_library.h"

namespace hone {
namespace {

constexpr RequestedPart kLearnPart{.file = "libhone_learn.so",
                                   .variable = "HONE_LEARN_LIB",
                                   .serves = "learning",
                                   .remedy = "`./hone setup learn` installs libtorch and builds it"};

}  // namespace

void open_for_optimizer(std::string_view spec) {
  for (bool more = true; more;) {
    const std::size_t plus = spec.find('+');
    const std::string_view step = spec.substr(0, plus);
    more = plus != std::string_view::npos;
    if (more) spec.remove_prefix(plus + 1);
    if (std::ranges::find(kLearningOptimizers, step.substr(0, step.find(':'))) == kLearningOptimizers.end()) continue;
    LearnLibrary::open();
    return;
  }
}

LearnLibrary LearnLibrary::open() {
  // Threads of libtorch that wait for each other do so asleep, unless the user says otherwise: others may need the
  // processor, of which waiting awake takes more than the work itself where there is nothing to spare.
  ::setenv("OMP_WAIT_POLICY", "passive", 0);
  const PartLibrary part(kLearnPart);
  LearnLibrary library;
  library.train_ = part.function<Train>("hone_learn_run");
  library.time_layers_ = part.function<TimeLayers>("hone_learn_time_layers");
  library.tune_go_ = part.function<TuneGo>("hone_learn_tune_go");
  return library;
}

Safetensors LearnLibrary::tune_go(Search& search, const Safetensors& policy, const GoTuning& tuning) const {
  Safetensors tuned;
  tune_go_(search, policy, tuning, tuned);
  return tuned;
}

nlohmann::ordered_json LearnLibrary::time_layers(std::size_t nodes, std::size_t threads) const {
  nlohmann::ordered_json row;
  time_layers_(nodes, threads, row);
  return row;
}

}  // namespace hone

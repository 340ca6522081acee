#pragma once

#include <array>
#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "learn/network/safetensors.h"
#include "learn/policy/training_data.h"
#include "learn/policy/training_outcome.h"
#include "learn/policy/training_request.h"

namespace hone {

struct GoTuning;
class Search;

/// Optimisers that are in the part of hone that learns, and known once it is open.
inline constexpr std::array<std::string_view, 2> kLearningOptimizers{"hdp", "placeto"};

/// Opens the part of hone that learns where a spec names one of its optimisers. Throws InputError, as
/// `LearnLibrary::open` does, when it is not there.
void open_for_optimizer(std::string_view spec);

/// The part of hone that learns. It needs libtorch, so that it is a library of its own, which is opened when it is
/// asked for: `HONE_LEARN_LIB`, or beside the program.
class LearnLibrary {
 public:
  /// Throws InputError naming the command that builds it when it is not there or cannot be opened.
  static LearnLibrary open();

  /// Throws InputError for a request that cannot be carried out.
  TrainingOutcome train(const TrainingRequest& request, const TrainingData& data) const {
    return train_(request, data);
  }
  /// Times layers on a graph of so many nodes; see `hone bench encode`.
  nlohmann::ordered_json time_layers(std::size_t nodes, std::size_t threads) const;

  /// Trains a policy of GO on the graph of a search; every plan that is drawn counts as an evaluation of it.
  Safetensors tune_go(Search& search, const Safetensors& policy, const GoTuning& tuning) const;

  using Train = TrainingOutcome (*)(const TrainingRequest&, const TrainingData&);
  using TimeLayers = void (*)(std::size_t, std::size_t, nlohmann::ordered_json&);
  using TuneGo = void (*)(Search&, const Safetensors&, const GoTuning&, Safetensors&);

 private:
  Train train_ = nullptr;
  TimeLayers time_layers_ = nullptr;
  TuneGo tune_go_ = nullptr;
};

}  // namespace hone

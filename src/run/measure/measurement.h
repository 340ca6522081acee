#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "graph/ir/model.h"
#include "run/measure/conditions.h"
#include "run/measure/interleave.h"
#include "run/measure/statistics.h"
#include "run/runtime/runtime.h"

namespace hone {

/// One of the models to compare; its file is what the runtime reads, its types must be static.
struct Candidate {
  std::string name;
  Model model;
  std::filesystem::path file;
  RuntimeOptions options = {};  // of the runtime
};

/// How to measure.
struct MeasureOptions {
  std::shared_ptr<const Runtime> runtime = usual_runtime();
  std::size_t threads = 1;
  bool pinned = true;                    // keep the process on as many processors as it has threads
  std::vector<std::string> input_files;  // see given_inputs; the rest is drawn at random
  // Whether what loading and a first run take is told, too, for which each model has a child of its own.
  bool tells_loading = true;
  InterleaveOptions interleave;
};

/// What was found for one model.
struct Measured {
  std::string name;
  std::string
      failure;  // why there are no timings: a sentence or the signal that ended the trial; empty when all went well
  double load_seconds = 0;  // this and the next two where they were asked for
  double first_run_seconds = 0;
  double peak_bytes = 0;  // that loading it and running it once added
  LatencySummary latency;
  std::vector<double> seconds;         // timings that count, in order
  double drift = 0;                    // see drift_of
  std::optional<RatioEstimate> ratio;  // to the first model that could be measured; none for that one itself
};

/// What `hone measure` reports.
struct Measurement {
  std::string runtime;  // name and version
  std::size_t threads = 1;
  Clock clock = Clock::wall;
  double disturbed_share = 0;
  Conditions conditions;
  std::vector<Measured> models;

  /// Sentences about what makes the figures doubtful.
  std::vector<std::string> warnings() const;
};

/// Inputs of a model: from the files given, else drawn at random.
std::vector<Datum> inputs_of(const Candidate& candidate, const MeasureOptions& options);

/// Times models in turn, in a child process. A model that cannot be loaded or run becomes a record: each is then loaded
/// and run once in a child of its own, as is done first where that is to be told, and those that survive are timed.
/// Throws InputError when the runtime is missing.
Measurement measure_models(std::span<const Candidate> candidates, const MeasureOptions& options);

}  // namespace hone

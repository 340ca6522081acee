#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/search_base.h"
#include "deliver/decision.h"
#include "deliver/proposal.h"
#include "graph/clean/clean.h"
#include "rewrite/worth/price_lesson.h"
#include "run/measure/measurement.h"
#include "run/profile/operator_timing.h"
#include "run/verify/equivalence.h"

namespace hone {

/// How much to try for a faster model.
enum class DeliveryEffort {
  quick = 1,     // what needs no measuring; seconds
  measured = 2,  // rule families and likely options of the runtime
  thorough = 3,  // all options, longer measurements, more inputs to verify with
};

/// Whether what was learned on other graphs takes part: prices, which say what to time first and together, and
/// advantages of decisions about kernels.
enum class Guidance { learned, none };

/// What to make of a model.
struct DeliveryRequest {
  DeliveryEffort effort = DeliveryEffort::measured;
  Guidance guidance = Guidance::learned;
  // A limit that is given is the only one; without any, there is one by effort.
  std::optional<double> seconds;           // that all may take, about
  std::optional<std::size_t> evaluations;  // proposals timed
  std::shared_ptr<const Runtime> runtime;  // that measures; null: nothing is measured
  std::shared_ptr<const Runtime>
      checker;  // compares what the reference interpreter cannot run, where none measures; may be null
  std::size_t threads = 1;
  std::vector<std::string> domains;                         // beyond ONNX's own that rules may use
  std::vector<std::string> input_files;                     // see given_inputs
  std::optional<Tolerance> tolerance;                       // instead of one by the original's own rounding
  ProfileTable timings;                                     // of operators, as known before
  std::function<void(const ProfileTable&)> record_timings;  // takes new ones as soon as there are some; may be empty
  std::vector<PriceLesson> price_lessons;  // of models that were timed before under the same conditions
  std::function<void(const PriceLesson&)> record_price_lesson;  // takes that of this one; may be empty
  bool assumes_sizes = false;               // whether `make_static` gives dims sizes that nobody asked for
  std::function<void(Model&)> make_static;  // fixes dynamic dims of a copy, for running only, and infers its types
  std::function<bool(std::string_view)> other_sizes;  // told why the original refused those; whether it chose others
  std::uint64_t seed = 0;
  Announcer announce;  // may be empty
};

/// What came of it.
struct Delivery {
  Proposal chosen;
  std::string source_sha256;  // see source_digest
  CleanReport cleaned;
  DecisionLog log;
  SearchEnd end = SearchEnd::nothing_left;  // why the search for something faster ended
  std::string checked_on;  // `reference interpreter`, a runtime where that cannot run the original, or nothing
  std::string obstacle;    // why not on the reference interpreter
  Equivalence verified;    // there
  std::optional<Equivalence> verified_on_runtime;  // with the options chosen
  std::optional<Measurement> measurement;          // the original first, then `chosen`, then its parts if it has both
  std::optional<RatioEstimate> whole, model_part, runtime_part;  // times over the original's, from `measurement`
  bool gain = false;                                             // proved by `measurement`

  /// Whether it may be written.
  bool correct() const { return verified.equal && (!verified_on_runtime || verified_on_runtime->equal); }
};

/// Cleans a model, searches for a faster form of it and of the runtime's options, and verifies the result against the
/// original. The original is always a candidate; where nothing is proved faster, the cleaned model with the runtime's
/// defaults is chosen, or the original should cleaning have made it slower. The signature stays.
///
/// A runtime that does not run the original measures nothing; the log says so.
///
/// Of all that was tried one proposal is measured against the original in the end, by runs that had no part in choosing
/// it. Only that measurement makes a claim, once, by its 99 % interval.
Delivery deliver(const Model& original, const DeliveryRequest& request);

}  // namespace hone

#include "run/measure/measurement.h"

#include <sys/resource.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/child_process.h"
#include "base/interrupt.h"
#include "run/measure/pinning.h"
#include "run/verify/inputs.h"
#include "run/verify/memory_need.h"

namespace hone {
namespace {

using Json = nlohmann::json;

constexpr double kMostVariation = 0.025;  // what trtexec warns at
constexpr double kMostDrift = 0.025;
constexpr double kMostDisturbed = 0.05;

/// Memory of this process that is in use now.
double resident_bytes() {
  double pages = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

double peak_resident_bytes() {
  struct rusage usage {};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024;
}

/// A model on a runtime, to be timed.
class RuntimeSubject : public Subject {
 public:
  RuntimeSubject(const RuntimeHost& host, const Candidate& candidate, std::span<const Datum> inputs)
      : prepared_(host.prepare({candidate.model, candidate.file}, candidate.options)) {
    prepared_->set_inputs(inputs);
  }
  void run() override { prepared_->run(); }

 private:
  std::unique_ptr<PreparedModel> prepared_;
};

/// Loads one model and runs it once; what a child reports.
std::string try_model(const Candidate& candidate, const MeasureOptions& options) {
  const std::unique_ptr<RuntimeHost> host = options.runtime->start(options.threads);
  const std::vector<Datum> inputs = inputs_of(candidate, options);
  const double before = resident_bytes();
  const Stopwatch loading;
  RuntimeSubject subject(*host, candidate, inputs);
  const double load_seconds = loading.stop().wall_seconds;
  const Stopwatch running;
  subject.run();
  const double first_run_seconds = running.stop().wall_seconds;
  return Json{
      {"load", load_seconds}, {"first", first_run_seconds}, {"peak", std::max(0.0, peak_resident_bytes() - before)}}
      .dump();
}

Measured trial(const Candidate& candidate, const MeasureOptions& options) {
  Measured measured{.name = candidate.name};
  const ChildResult result = run_in_child([&] { return try_model(candidate, options); });
  if (result.signal != 0) {
    measured.failure = fmt::format("died with signal {} ({})", result.signal, ::strsignal(result.signal));
  } else if (!result.error.empty()) {
    // A missing runtime or a wrong option is the same for all models and no finding about this one.
    if (result.code == ExitCode::backend_missing || result.code == ExitCode::usage)
      throw InputError(result.error, result.code);
    measured.failure = result.error;
  } else {
    const Json figures = Json::parse(result.text);
    measured.load_seconds = figures["load"];
    measured.first_run_seconds = figures["first"];
    measured.peak_bytes = figures["peak"];
  }
  return measured;
}

Json json_of(const InterleavedSamples& samples) {
  Json blocks = Json::array();
  for (const auto& block : samples.blocks) {
    Json& rounds = blocks.emplace_back(Json::array());
    for (const auto& round : block) {
      Json& row = rounds.emplace_back(Json::array());
      for (const Sample& sample : round) row.push_back({sample.wall_seconds, sample.cpu_seconds, sample.disturbed});
    }
  }
  return blocks;
}

InterleavedSamples samples_of(const Json& blocks) {
  InterleavedSamples samples;
  for (const Json& block : blocks) {
    auto& rounds = samples.blocks.emplace_back();
    for (const Json& row : block) {
      auto& round = rounds.emplace_back();
      for (const Json& each : row) round.push_back({each[0], each[1], each[2]});
    }
  }
  return samples;
}

/// Times the models in turn; what a child reports.
std::string time_models(const std::vector<const Candidate*>& candidates, const MeasureOptions& options) {
  if (options.pinned) pin_process(options.threads);
  const std::unique_ptr<RuntimeHost> host = options.runtime->start(options.threads);
  std::vector<SubjectMaker> makers;
  for (const Candidate* candidate : candidates)
    makers.push_back([&host, candidate, inputs = inputs_of(*candidate, options)] {
      return std::make_unique<RuntimeSubject>(*host, *candidate, inputs);
    });
  const ConditionsWatch watch;
  const InterleavedSamples samples = interleave(makers, options.interleave);
  const Conditions around = watch.stop();
  return Json{{"samples", json_of(samples)},
              {"runtime", options.runtime->label()},
              {"around",
               {around.other_load, around.stolen, around.waiting, around.clock_change, around.throttled,
                around.governor, around.processors}}}
      .dump();
}

void read_around(const Json& fields, Conditions& around) {
  around = {.other_load = fields[0],
            .stolen = fields[1],
            .waiting = fields[2],
            .clock_change = fields[3],
            .throttled = fields[4],
            .governor = fields[5],
            .processors = fields[6]};
}

}  // namespace

std::vector<Datum> inputs_of(const Candidate& candidate, const MeasureOptions& options) {
  return given_inputs(candidate.model, options.input_files, options.interleave.seed);
}

Measurement measure_models(std::span<const Candidate> candidates, const MeasureOptions& options) {
  Measurement result{.threads = options.runtime->threads_used(options.threads)};
  std::vector<const Candidate*> alive;
  std::vector<std::size_t> place;  // in result.models, by survivor
  for (const Candidate& candidate : candidates) {
    require_memory(candidate.model, candidates.size());
    alive.push_back(&candidate);
    place.push_back(result.models.size());
    result.models.push_back({.name = candidate.name});
  }
  const auto leave_out_what_fails = [&] {
    alive.clear();
    place.clear();
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      result.models[i] = trial(candidates[i], options);
      if (!result.models[i].failure.empty()) continue;
      alive.push_back(&candidates[i]);
      place.push_back(i);
    }
  };
  if (options.tells_loading) leave_out_what_fails();
  const auto timed = [&] { return time_models(alive, options); };
  ChildResult child = alive.empty() ? ChildResult() : run_in_child(timed);
  if (!child.succeeded() && !options.tells_loading && !interrupted()) {
    leave_out_what_fails();
    if (!alive.empty()) child = run_in_child(timed);
  }
  if (alive.empty()) return result;
  const Json found = Json::parse(text_given(child));
  const InterleavedSamples samples = samples_of(found["samples"]);
  result.runtime = found["runtime"];
  read_around(found["around"], result.conditions);
  result.clock = clock_for(samples, result.threads);
  result.disturbed_share = samples.disturbed_share();
  for (std::size_t i = 0; i < alive.size(); ++i) {
    Measured& measured = result.models[place[i]];
    measured.seconds = counted_seconds(samples, i, result.clock);
    measured.latency = summarize_latency(measured.seconds);
    measured.drift = drift_of(measured.seconds);
    if (i > 0) measured.ratio = compare_subjects(samples, 0, i, result.clock, options.interleave.seed);
  }
  return result;
}

std::vector<std::string> Measurement::warnings() const {
  std::vector<std::string> sentences = conditions.warnings();
  if (disturbed_share > kMostDisturbed)
    sentences.push_back(fmt::format("{:.0f} % of the runs were interrupted{}", disturbed_share * 100,
                                    clock == Clock::cpu ? "; times are processor seconds of the one thread" : ""));
  for (const Measured& model : models) {
    if (!model.failure.empty()) continue;
    if (model.latency.variation() > kMostVariation)
      sentences.push_back(fmt::format("{}: times vary by {:.1f} %", model.name, model.latency.variation() * 100));
    if (std::abs(model.drift) > kMostDrift)
      sentences.push_back(fmt::format("{}: became {:.1f} % {} meanwhile", model.name, std::abs(model.drift) * 100,
                                      model.drift > 0 ? "slower" : "faster"));
  }
  return sentences;
}

}  // namespace hone

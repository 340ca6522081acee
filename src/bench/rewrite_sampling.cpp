#include "bench/rewrite_sampling.h"

#include <algorithm>
#include <map>

#include "base/child_process.h"
#include "base/progress.h"
#include "deliver/profile_pricing.h"
#include "formats/onnx/read.h"
#include "formats/onnx/write.h"
#include "graph/ops/infer.h"
#include "plan/machine/machine_file.h"
#include "rewrite/worth/drawn_rewrites.h"
#include "run/measure/measurement.h"
#include "run/profile/executed_graph.h"
#include "store/records/circumstances.h"
#include "store/records/profile_records.h"

namespace hone {
namespace {

constexpr std::size_t kSideBySide = 6;  // rewrites beside the original; more would hold too many sessions in memory
constexpr double kDrawingSeconds = 20;

class RewriteSampling {
 public:
  RewriteSampling(const std::string& name, const Model& model, std::shared_ptr<const Runtime> runtime,
                  const SamplingEffort& effort, Store* store)
      : name_(name),
        model_(model),
        runtime_(std::move(runtime)),
        effort_(effort),
        store_(store),
        roofline_(load_machine("cpu-gpu"), model.opsets),
        space_(model, Matcher(select_rules("all"), RuleSetting::of(model)), roofline_) {}

  TimedRewrites run() {
    show_progress(fmt::format("{}: drawing rewrites", name_));
    states_ = drawn_rewrites(space_, effort_.rewrites, effort_.seed, Deadline(kDrawingSeconds));
    states_.insert(states_.begin(), space_.start());
    for (const StatePointer& state : states_)
      timed_.push_back({.hash = state->hash,
                        .rules = rules_towards(*state),
                        .estimated = time_parts(space_, state->graph),
                        .timed = {}});
    show_progress(fmt::format("{}: timing operators", name_));
    price_by_operators();
    write_models();
    look_at_kernels();
    measure(&TimedRewrite::seconds, effort_.seed);
    measure(&TimedRewrite::again_seconds, effort_.seed + 1);
    TimedRewrites found{.model = name_, .start = timed_.front(), .rewrites = {}};
    for (std::size_t i = 1; i < timed_.size(); ++i)
      if (timed_[i].seconds > 0 && timed_[i].again_seconds > 0) found.rewrites.push_back(timed_[i]);
    return found;
  }

 private:
  void price_by_operators() {
    ProfileRequest request{.runtime = runtime_, .effort = effort_.operators};
    OperatorTimings timings{.context = context_of(request), .table = {}};
    if (store_ != nullptr) timings.table = stored_profiles(*store_, timings.context);
    {
      const ProfilePricing pricing(timings, model_, {});
      price_with(pricing);
      timings.calibration = pricing.calibration();
      if (pricing.unknown().model.graph.node_count() > 0) {
        const ProfileTable found = time_nodes(pricing.unknown(), request);
        if (store_ != nullptr) record_timings(*store_, graph_record(name_, model_), found);
        for (const NodeTiming& timing : found.records()) timings.table.add(timing);
      }
    }
    const ProfilePricing pricing(timings, model_, {});
    price_with(pricing);
  }

  void price_with(const NodePricing& pricing) {
    const RewriteSpace priced(model_, Matcher({}, RuleSetting::of(model_)), pricing);
    for (std::size_t i = 0; i < states_.size(); ++i) timed_[i].timed = time_parts(priced, states_[i]->graph);
  }

  std::filesystem::path file_of(std::size_t i) const { return folder_.path() / fmt::format("{}.onnx", i); }

  void write_models() {
    for (std::size_t i = 0; i < states_.size(); ++i)
      onnx::write(i == 0 ? model_ : space_.finish(model_, *states_[i]), file_of(i));
  }

  /// What the runtime makes of each.
  void look_at_kernels() {
    show_progress(fmt::format("{}: timing kernels", name_));
    ProfileRequest request{.runtime = runtime_, .effort = effort_.operators};
    if (store_ != nullptr) request.known = stored_profiles(*store_, context_of(request));
    std::vector<Candidate> all;
    for (std::size_t i = 0; i < states_.size(); ++i) all.push_back(candidate(i));
    std::vector<ModelToRun> models;
    for (const Candidate& each : all) models.push_back({each.model, each.file});
    const ExecutedGraphs found =
        runtime_->plan_machine().empty() ? executed_graphs(models, request) : executed_groups(models, request);
    if (store_ != nullptr) record_timings(*store_, graph_record(name_, model_), found.timings);
    for (std::size_t i = 0; i < timed_.size(); ++i) {
      timed_[i].frame_seconds = found.graphs[i].frame_seconds;
      for (const ExecutedKernels& each : found.graphs[i].kernels)
        timed_[i].executed.push_back({.op = each.op,
                                      .sort = std::string(name_of(each.operation_class)),
                                      .count = static_cast<double>(each.count),
                                      .seconds = each.seconds,
                                      .activation_bytes = each.activation_bytes,
                                      .weight_bytes = each.weight_bytes});
    }
  }

  Candidate candidate(std::size_t i) const {
    Candidate made{.name = std::to_string(i), .model = onnx::read(file_of(i)), .file = file_of(i)};
    infer_types(made.model);
    return made;
  }

  /// Ratios to the original, which is timed in every group, times its median over all of them.
  void measure(double TimedRewrite::*into, std::uint64_t seed) {
    MeasureOptions options{.runtime = runtime_, .tells_loading = false};
    options.interleave = {.warmup_seconds = effort_.seconds / 4,
                          .seconds = effort_.seconds,
                          .least_rounds = 8,
                          .blocks = 2,
                          .seed = seed};
    std::map<std::size_t, double> ratios;
    std::vector<double> originals;
    for (std::size_t at = 1; at < states_.size(); at += kSideBySide) {
      show_progress(fmt::format("{}: measuring {} of {} rewrites", name_, at, states_.size() - 1));
      std::vector<Candidate> group = {candidate(0)};
      for (std::size_t i = at; i < std::min(at + kSideBySide, states_.size()); ++i) group.push_back(candidate(i));
      const Measurement found = measure_models(group, options);
      if (const std::string& failure = found.models[0].failure; !failure.empty())
        fail("{}: the original does not run: {}", name_, failure);
      originals.push_back(found.models[0].latency.median);
      for (std::size_t i = 1; i < group.size(); ++i)
        if (found.models[i].ratio) ratios[at + i - 1] = found.models[i].ratio->ratio;
    }
    if (originals.empty()) return;
    timed_[0].*into = median(originals);
    for (const auto& [i, ratio] : ratios) timed_[i].*into = ratio * timed_[0].*into;
  }

  const std::string& name_;
  const Model& model_;
  std::shared_ptr<const Runtime> runtime_;
  const SamplingEffort& effort_;
  Store* store_;
  RooflinePricing roofline_;
  RewriteSpace space_;
  std::vector<StatePointer> states_;  // the start first
  std::vector<TimedRewrite> timed_;   // of each
  TemporaryFolder folder_;
};

}  // namespace

TimedRewrites sample_rewrites(const std::string& name, const Model& model, std::shared_ptr<const Runtime> runtime,
                              const SamplingEffort& effort, Store* store) {
  return RewriteSampling(name, model, std::move(runtime), effort, store).run();
}

}  // namespace hone

#include "deliver/delivery.h"

#include <fmt/format.h>

#include "base/interrupt.h"
#include "deliver/climb.h"
#include "deliver/profiled_search.h"
#include "deliver/rule_moves.h"
#include "deliver/runtime_check.h"
#include "deliver/runtime_moves.h"
#include "profile/model_profile.h"

namespace hone {
namespace {

constexpr double kMeasuredSeconds = 24, kThoroughSeconds = 90;  // of search
constexpr double kFinalShare = 0.15, kShortestFinal = 1;        // of these, for each proposal in the last measurement
constexpr double kFirstLook = 0.5;                              // seconds, for cleaned and original

constexpr const char* kAlwaysWorthIt = "fold";  // rules that take work away on every runtime

/// How much of the search goes into operators: their timing, and methods of rewriting over the timings.
struct OperatorEffort {
  std::vector<std::string> methods;
  double method_seconds;
  ProfileEffort timing;
};

OperatorEffort operator_effort(DeliveryEffort effort) {
  OperatorEffort chosen{.methods = {"greedy", "taso:alpha=1.05,budget=100"},
                        .method_seconds = 5,
                        .timing = {.least_rounds = 3, .most_rounds = 15, .seconds = 4}};
  if (effort == DeliveryEffort::thorough) {
    chosen = {.methods = {"greedy", "taso:alpha=1.05,budget=1000", "beam:width=8", "mcts:rounds=60"},
              .method_seconds = 20,
              .timing = {.least_rounds = 7, .most_rounds = 30, .seconds = 15}};
  }
  for (const RewriteMethodKind* kind : RewriteMethodKind::all())
    if (kind->name() == "saturate" && effort != DeliveryEffort::quick) chosen.methods.emplace_back(kind->name());
  return chosen;
}

std::string equal_on(const Equivalence& result) {
  return fmt::format("equal on {} input{}", result.inputs_tried, result.inputs_tried == 1 ? "" : "s");
}

class Pipeline {
 public:
  Pipeline(const Model& original, const DeliveryRequest& request)
      : original_(original),
        request_(request),
        source_{.model = std::make_shared<const Model>(original), .session = {}, .steps = {}} {
    if (request_.runtime)
      judge_.emplace([this](const Model& model) { return made_static(model); }, *source_.model,
                     MeasureOptions{.runtime = *request_.runtime,
                                    .library = request_.library,
                                    .session = {},
                                    .threads = request_.threads,
                                    .input_files = request_.input_files,
                                    .interleave = {.seed = request_.seed}});
  }

  Delivery run() {
    Proposal start = clean_up();
    delivery_.chosen = start;
    if (judge_) {
      search(start);
      settle(start);
    } else {
      improve_unmeasured(start);
      delivery_.log.push_back({"measure", "latency", "skipped", "nothing was measured"});
    }
    verify();
    return std::move(delivery_);
  }

 private:
  Model made_static(const Model& model) const {
    Model copy = model;
    request_.make_static(copy);
    return copy;
  }
  bool uses_onnxruntime() const { return request_.runtime == RuntimeKind::onnxruntime; }
  double seconds() const {
    return request_.seconds.value_or(request_.effort == DeliveryEffort::thorough ? kThoroughSeconds : kMeasuredSeconds);
  }
  EquivalenceOptions inputs_to_try() const {
    return {.seed = request_.seed,
            .random_inputs = request_.effort == DeliveryEffort::thorough ? 3u : 1u,
            .files = request_.input_files,
            .tolerance = {}};
  }
  Equivalence interpret(const Model& candidate) const {
    return check_equivalence(made_static(original_), made_static(candidate), inputs_to_try());
  }
  Equivalence run_on_runtime(const Proposal& proposal) {
    const Model reference = made_static(original_), candidate = made_static(*proposal.model);
    ort::SessionOptions plain{.level = ort::OptimizationLevel::none};
    return check_on_runtime({reference, judge_->file_of(source_.model), plain},
                            {candidate, judge_->file_of(proposal.model), proposal.session}, inputs_to_try(),
                            request_.library);
  }

  /// The original after cleaning, unless that does not compute the same.
  Proposal clean_up() {
    Model model = original_;
    delivery_.cleaned = clean(model);
    std::string passes;
    std::size_t changes = 0;
    for (const auto& [pass, count] : delivery_.cleaned.changes) {
      if (count > 0) passes += fmt::format("{}{} {}", passes.empty() ? "" : ", ", pass, count);
      changes += count;
    }
    Proposal proposal = source_;
    if (changes == 0) {
      delivery_.log.push_back({"clean", "clean-up", "rejected", "there was nothing to clean"});
      return proposal;
    }
    if (const Equivalence same = interpret(model); !same.equal) {
      delivery_.log.push_back({"clean", "clean-up", "rejected", "changes results: " + same.reason});
      return proposal;
    }
    proposal.model = std::make_shared<const Model>(std::move(model));
    proposal.steps.push_back({.part = Part::model, .name = "clean-up", .sites = changes});
    if (judge_ && slower_than_original(proposal)) return source_;
    delivery_.log.push_back({"clean", "clean-up", "kept", passes});
    return proposal;
  }

  bool slower_than_original(const Proposal& proposal) {
    const Proposal pair[] = {source_, proposal};
    const Measurement measurement = judge_->judge(pair, kFirstLook);
    if (const std::string& failure = measurement.models[0].failure; !failure.empty())
      fail("{}: the original does not run: {}", original_.source, failure);
    const Measured& cleaned = measurement.models[1];
    if (!cleaned.failure.empty()) {
      delivery_.log.push_back({"clean", "clean-up", "rejected", "does not run: " + cleaned.failure});
      return true;
    }
    if (!cleaned.ratio->differs || cleaned.ratio->ratio <= 1) return false;
    delivery_.log.push_back({"clean", "clean-up", "rejected", "measured slower than the original", cleaned.ratio});
    return true;
  }

  void search(const Proposal& start) {
    const OperatorEffort effort = operator_effort(request_.effort);
    ProfiledSearch profiled(search_options(effort, "all"), known_timings());
    if (uses_onnxruntime()) time_operators(profiled, *start.model, effort.timing);
    std::vector<Move> moves = rule_moves(request_.domains);
    for (Move& move : profiled.moves()) moves.push_back(std::move(move));
    if (uses_onnxruntime()) {
      const auto range = request_.effort == DeliveryEffort::thorough ? OptionRange::all : OptionRange::likely;
      for (Move& move : runtime_moves(*start.model, request_.threads, range)) moves.push_back(std::move(move));
    }
    const ProposalCheck check = [this](const Proposal& proposal) {
      const Equivalence same = interpret(*proposal.model);
      return same.equal ? std::string() : same.reason;
    };
    Climb climb(*judge_, check, {.seconds = seconds(), .evaluations = request_.evaluations});
    delivery_.chosen = climb.run(start, moves, delivery_.log);
    if (interrupted()) delivery_.log.push_back({"search", "all", "interrupted", "ended early with the best so far"});
  }

  ProfiledSearchOptions search_options(const OperatorEffort& effort, const std::string& rules) const {
    const bool measured = judge_.has_value();  // else the same again must come out, however fast the machine is
    return {.methods = effort.methods,
            .rules = rules,
            .domains = request_.domains,
            .limits = {.seconds = measured ? effort.method_seconds : std::numeric_limits<double>::infinity(),
                       .seed = request_.seed},
            .made_static = [this](const Model& model) { return made_static(model); }};
  }

  OperatorTimings known_timings() const {
    if (uses_onnxruntime()) return {.context = context_of(profile_request()), .table = request_.timings};
    const std::vector<NodeTiming> records = request_.timings.records();
    return records.empty() ? OperatorTimings{}
                           : OperatorTimings{.context = records[0].context, .table = request_.timings};
  }
  ProfileRequest profile_request() const {
    return {.threads = request_.threads, .effort = {}, .library = request_.library, .known = {}};
  }

  /// Times the operators that searches over rewrites of a model meet.
  void time_operators(ProfiledSearch& profiled, const Model& model, const ProfileEffort& effort) {
    ProfileRequest request = profile_request();
    request.effort = effort;
    try {
      const std::size_t timed = profiled.learn(model, [&](const ObservedGraph& nodes) {
        ProfileTable timings = time_nodes(nodes, request);
        if (request_.record_timings) request_.record_timings(timings);
        return timings;
      });
      delivery_.log.push_back({"profile", "operators", "timed", fmt::format("not known before: {}", timed)});
    } catch (const InputError& error) {
      delivery_.log.push_back({"profile", "operators", "failed", error.what()});
    }
  }

  /// Without measuring, rules that take work away on every runtime are used where they do so by the roofline; with
  /// timings of operators at hand, all rules as far as these speak for them.
  void improve_unmeasured(const Proposal& start) {
    OperatorTimings timings = known_timings();
    const bool timed = !timings.table.records().empty();
    OperatorEffort effort = operator_effort(DeliveryEffort::quick);
    if (!timed) effort.methods = {"greedy"};
    ProfiledSearch profiled(search_options(effort, timed ? "all" : kAlwaysWorthIt), std::move(timings));
    if (timed) profiled.learn(*start.model, [](const ObservedGraph&) { return ProfileTable(); });  // only calibrates
    for (const Move& move : profiled.moves()) {
      const std::optional<Proposal> next = move.apply(delivery_.chosen);
      if (!next) continue;
      const double saved = 1 - profiled.predicted_seconds(*next->model) / profiled.predicted_seconds(*start.model);
      const Equivalence same = interpret(*next->model);
      if (same.equal) delivery_.chosen = *next;
      const std::string why = timed ? fmt::format("timings of operators predict {:.1f} % less time", 100 * saved)
                                    : "takes work away on every runtime";
      delivery_.log.push_back({"search", move.name, same.equal ? "kept" : "rejected",
                               same.equal ? why : "changes results: " + same.reason});
    }
  }

  /// Measures what was found against the original by fresh runs. What that does not prove faster is dropped for the
  /// start, of which nothing is claimed then, and the start for the original should it prove slower.
  void settle(const Proposal& start) {
    measure_against_original(delivery_.chosen);
    if (!delivery_.gain && delivery_.chosen.steps.size() != start.steps.size()) {
      delivery_.log.push_back(
          {"measure", "what was found", "rejected", "no gain over the original is proved", delivery_.whole});
      delivery_.chosen = start;
      measure_against_original(start);
      delivery_.gain = false;
    }
    const bool slower = delivery_.whole && delivery_.whole->differs && delivery_.whole->ratio > 1;
    if (delivery_.gain) {
      delivery_.log.push_back({"measure", "whole", "kept", "measured faster than the original", delivery_.whole});
    } else if (!slower) {
      delivery_.log.push_back({"measure", "whole", "no gain", "not proved faster than the original", delivery_.whole});
    } else {
      delivery_.log.push_back({"measure", "whole", "rejected", "measured slower than the original", delivery_.whole});
      delivery_.chosen = source_;
      delivery_.whole.reset();
    }
  }

  void measure_against_original(const Proposal& chosen) {
    std::vector<Proposal> proposals{source_, chosen};
    const bool model_changed = chosen.model != source_.model;
    const bool options_changed =
        std::ranges::any_of(chosen.steps, [](const Step& step) { return step.part == Part::runtime; });
    if (model_changed && options_changed) {
      proposals.push_back({.model = chosen.model, .session = source_.session, .steps = chosen.steps});
      proposals.push_back({.model = source_.model, .session = chosen.session, .steps = chosen.steps});
    }
    const double each = interrupted() ? kShortestFinal : std::max(kShortestFinal, kFinalShare * seconds());
    Measurement& found = delivery_.measurement.emplace(judge_->judge(proposals, each));
    constexpr const char* kNames[] = {"original", "hone", "hone, default options", "original, options of hone"};
    for (std::size_t i = 0; i < proposals.size(); ++i) found.models[i].name = kNames[i];
    if (const std::string& failure = found.models[0].failure; !failure.empty())
      fail("{}: the original does not run: {}", original_.source, failure);
    delivery_.whole = found.models[1].ratio;
    delivery_.gain = delivery_.whole && delivery_.whole->differs && delivery_.whole->ratio < 1;
    delivery_.model_part = model_changed ? found.models[proposals.size() == 4 ? 2 : 1].ratio : std::nullopt;
    delivery_.runtime_part = options_changed ? found.models[proposals.size() == 4 ? 3 : 1].ratio : std::nullopt;
  }

  void verify() {
    delivery_.verified = interpret(*delivery_.chosen.model);
    log_check("reference interpreter", delivery_.verified);
    if (!uses_onnxruntime()) return;
    delivery_.verified_on_runtime = run_on_runtime(delivery_.chosen);
    log_check("ONNX Runtime, original without its optimisers", *delivery_.verified_on_runtime);
  }

  void log_check(const std::string& where, const Equivalence& result) {
    delivery_.log.push_back(
        {"verify", where, result.equal ? "done" : "failed", result.equal ? equal_on(result) : result.reason});
  }

  const Model& original_;
  const DeliveryRequest& request_;
  Proposal source_;
  std::optional<RuntimeJudge> judge_;
  Delivery delivery_;
};

}  // namespace

Delivery deliver(const Model& original, const DeliveryRequest& request) { return Pipeline(original, request).run(); }

}  // namespace hone

#include "deliver/delivery.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/interrupt.h"
#include "deliver/climb.h"
#include "deliver/delivery_progress.h"
#include "deliver/delivery_time.h"
#include "deliver/kernel_forecast.h"
#include "deliver/model_check.h"
#include "deliver/operator_effort.h"
#include "deliver/package.h"
#include "deliver/plan_moves.h"
#include "deliver/price_guide.h"
#include "deliver/profiled_search.h"
#include "deliver/rule_moves.h"
#include "deliver/runtime_check.h"
#include "deliver/runtime_moves.h"
#include "run/profile/model_profile.h"

namespace hone {
namespace {

constexpr double kProfileShare = 0.25, kShortestProfile = 3;  // of the time for searching, in seconds at least
constexpr double kForecastShare = 0.3, kForecastRounds = 2;   // of that time; seconds in which kernels are timed
constexpr double kMethodShare = 0.04, kCombineShare = 0.1;    // for each method of rewriting, for what to take together
constexpr double kKernelShare = 0.2, kLongestKernels = 20;    // for timing what may share a kernel, in seconds
constexpr double kLooksForAll = 40;                           // short looks that timing every move takes, about
constexpr double kFirstLook = 0.5;                            // seconds, for cleaned and original

constexpr const char* kAlwaysWorthIt = "fold";  // rules that take work away on every runtime

class Pipeline {
 public:
  Pipeline(const Model& original, const DeliveryRequest& request)
      : original_(original),
        request_(request),
        time_(request),
        source_{.model = std::make_shared<const Model>(original), .options = {}, .steps = {}},
        progress_(request.announce, request.seconds) {
    if (!request.runtime || request.guidance != Guidance::learned) return;
    if (std::optional<GraphPrices> prices = GraphPrices::builtin(request.runtime->name()))
      guide_.emplace(std::move(*prices), request);
  }

  Delivery run() {
    progress_.begin("running the original on the reference interpreter", 0.04);
    check_.emplace(original_, request_, inputs_to_try());
    delivery_.checked_on = check_->where();
    delivery_.obstacle = check_->obstacle();
    if (request_.runtime && check_->compares()) start_judge();  // what cannot be compared is cleaned up and no more
    delivery_.source_sha256 = source_digest(original_);
    if (judge_) look_at_original();
    Proposal start = clean_up();
    delivery_.chosen = start;
    if (judge_) {
      search(start);
      settle(start);
    } else {
      if (check_->compares()) improve_unmeasured(start);
      delivery_.log.push_back({Stage::measure, "latency", Verdict::skipped, "nothing was measured"});
    }
    verify(start);
    return std::move(delivery_);
  }

 private:
  std::function<Model(const Model&)> static_maker() const {
    return [this](const Model& model) {
      Model copy = model;
      request_.make_static(copy);
      return copy;
    };
  }
  void start_judge() {
    judge_.emplace(static_maker(), *source_.model,
                   MeasureOptions{.runtime = request_.runtime,
                                  .threads = request_.threads,
                                  .input_files = request_.input_files,
                                  .interleave = {.seed = request_.seed}},
                   [this] { return time_.seconds_left(); });
    if (judge_->most_at_once() >= 2) return;
    delivery_.log.push_back(
        {Stage::measure, "latency", Verdict::skipped, "two models at once would need more than half of the memory"});
    judge_.reset();
  }
  /// For searches within a part of the work.
  Announcer announcer() const {
    return [this](const std::string& doing) { progress_.tell(doing); };
  }

  /// Whether not even every move could be looked at, so that only what prices speak for is.
  bool time_is_scarce() const { return guide_ && time_.search_seconds_left() < kLooksForAll * time_.look_seconds(); }
  EquivalenceOptions inputs_to_try() const {
    return {.seed = request_.seed,
            .random_inputs = time_.has_time_for_several_inputs() ? 3u : 1u,
            .files = request_.input_files,
            .tolerance = request_.tolerance};
  }
  Equivalence compare(const Model& candidate) const { return check_->compare(candidate); }
  Equivalence run_on_runtime(const Proposal& proposal, const RuntimeOptions& original_options) {
    const Model reference = static_maker()(original_), candidate = static_maker()(*proposal.model);
    return check_on_runtime({{reference, judge_->file_of(source_.model)}, original_options},
                            {{candidate, judge_->file_of(proposal.model)}, proposal.options}, inputs_to_try(),
                            *request_.runtime, check_->movements());
  }

  /// Nothing can be measured on a runtime that does not run the original.
  void look_at_original() {
    progress_.begin("timing the original", 0.06);
    judge_->file_of(source_.model);  // which is written but once
    const Timer timer;
    const Measured original = judge_->judge({&source_, 1}, kFirstLook).models[0];
    time_.saw(timer.seconds(), check_->seconds(), original.latency.median);
    if (original.failure.empty()) return;
    delivery_.log.push_back({Stage::measure, "original", Verdict::failed, "does not run: " + original.failure});
    judge_.reset();
  }

  /// The original after cleaning, unless that does not compute the same.
  Proposal clean_up() {
    progress_.begin("cleaning", 0.1);
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
      delivery_.log.push_back({Stage::clean, "clean-up", Verdict::skipped, "there was nothing to clean"});
      return proposal;
    }
    const bool is_left_to_the_end = judge_ && time_is_scarce();  // where all is compared with the original once more
    if (const Equivalence same = is_left_to_the_end ? Equivalence{.equal = true} : compare(model); !same.equal) {
      delivery_.log.push_back({Stage::clean, "clean-up", Verdict::rejected, "changes results: " + same.reason});
      return proposal;
    }
    proposal.model = std::make_shared<const Model>(std::move(model));
    proposal.steps.push_back({.part = Part::model, .name = "clean-up", .sites = changes});
    if (judge_ && !is_left_to_the_end && slower_than_original(proposal)) return source_;
    delivery_.log.push_back({Stage::clean, "clean-up", Verdict::kept, passes});
    return proposal;
  }

  bool slower_than_original(const Proposal& proposal) {
    const Proposal pair[] = {source_, proposal};
    const Measurement measurement = judge_->judge(pair, kFirstLook);
    const Measured& cleaned = measurement.models[1];
    if (!cleaned.failure.empty() || !cleaned.ratio) {
      delivery_.log.push_back({Stage::clean, "clean-up", Verdict::rejected, "does not run: " + cleaned.failure});
      return true;
    }
    if (!cleaned.ratio->differs || cleaned.ratio->ratio <= 1) return false;
    delivery_.log.push_back(
        {Stage::clean, "clean-up", Verdict::rejected, "measured slower than the original", cleaned.ratio});
    return true;
  }

  void search(const Proposal& start) {
    const OperatorEffort effort = operator_effort(request_.effort);
    const auto range = time_.is_thorough() ? OptionRange::all : OptionRange::likely;
    std::vector<Move> options = runtime_moves(*request_.runtime, *start.model, request_.threads, range);
    std::vector<Move> moves = forecast_moves(start, options);
    ProfiledSearch profiled(search_options(effort, "all"), known_timings());
    const double share = kProfileShare * time_.search_seconds_left();
    const bool is_scarce = time_is_scarce();
    if (share >= kShortestProfile && !is_scarce) time_operators(profiled, *start.model, effort.timing);
    else delivery_.log.push_back({Stage::profile, "operators", Verdict::skipped, "there was no time for it"});
    if (!is_scarce)  // what prices speak for comes first
      for (Move& move : profiled.moves()) moves.push_back(std::move(move));
    std::ranges::move(options, std::back_inserter(moves));
    for (Move& move : plan_moves(plan_request())) moves.push_back(std::move(move));
    const ProposalCheck check = [this](const Proposal& proposal) {
      const Equivalence same = compare(*proposal.model);
      return same.equal ? std::nullopt : std::optional(same.reason);
    };
    ClimbBudget budget{
        .seconds = time_.is_counted_alone() ? std::numeric_limits<double>::infinity() : time_.timed_seconds(),
        .wall_seconds = time_.search_seconds_left(),
        .look_seconds = time_.look_seconds()};
    if (request_.evaluations) budget.evaluations = *request_.evaluations;
    Climb climb(*judge_, check, budget, announcer());
    if (guide_)
      climb.combine_by([&](std::span<const RacedProposal> timed, Wish wish) {
        return guide_->wanted_after(start, timed, wish, kCombineShare * time_.search_seconds_left());
      });
    progress_.begin("searching", 0.8, [&climb] { return climb.share_done(); });
    delivery_.chosen = climb.run(start, moves, delivery_.log);
    delivery_.end = climb.end();
    if (guide_) guide_->teach(start, climb.raced());
    if (interrupted())
      delivery_.log.push_back({Stage::search, "all", Verdict::interrupted, "ended early with the best so far"});
  }

  PlanMoveRequest plan_request() const {
    PlanMoveRequest request{.runtime = request_.runtime,
                            .made_static = static_maker(),
                            .input_files = request_.input_files,
                            .seed = request_.seed,
                            .threads = request_.threads};
    if (request_.guidance == Guidance::learned)
      request.measuring_seconds = [this] {
        return std::min(kLongestKernels, kKernelShare * time_.search_seconds_left());
      };
    return request;
  }

  /// Families of rules, the most promising first: by what the runtime makes of each where there is time to ask, else by
  /// prices, and then with those options of the runtime among them that have prices.
  std::vector<Move> forecast_moves(const Proposal& start, std::vector<Move>& options) {
    const double share = kForecastShare * time_.search_seconds_left();
    constexpr std::size_t kModelsAtOnce = 4;  // kernels of several rewrites are in memory side by side
    const bool asks_runtime =
        time_.is_thorough() && share >= kShortestProfile && judge_->most_at_once() >= kModelsAtOnce;
    if (!asks_runtime && !guide_) return rule_moves(request_.domains);
    progress_.begin("looking at what rules make of it", 0.2);
    if (!asks_runtime) return guide_->ordered(start, options, delivery_.log, share);
    KernelForecast forecast({.profile = {.runtime = request_.runtime,
                                         .threads = request_.threads,
                                         .effort = {.least_rounds = 3, .most_rounds = 9, .seconds = kForecastRounds},
                                         .known = request_.timings},
                             .made_static = static_maker(),
                             .file_of = [this](const auto& model) { return judge_->file_of(model); },
                             .record = request_.record_timings});
    return ordered_by_forecast(start, rule_moves(request_.domains), forecast, delivery_.log, share).moves;
  }

  ProfiledSearchOptions search_options(const OperatorEffort& effort, const std::string& rules) const {
    const bool measured = judge_.has_value();  // else the same again must come out, however fast the machine is
    return {.methods = effort.methods,
            .rules = rules,
            .domains = request_.domains,
            .settings = {.budget = {.seconds = measured ? std::min(effort.method_seconds,
                                                                   kMethodShare * time_.search_seconds_left())
                                                        : std::numeric_limits<double>::infinity()},
                         .seed = request_.seed,
                         .announce = announcer()},
            .made_static = static_maker()};
  }

  OperatorTimings known_timings() const {
    if (judge_) return {.context = context_of(profile_request()), .table = request_.timings};
    const std::vector<NodeTiming> records = request_.timings.records();
    return records.empty() ? OperatorTimings{}
                           : OperatorTimings{.context = records[0].context, .table = request_.timings};
  }
  ProfileRequest profile_request() const {
    return {.runtime = request_.runtime, .threads = request_.threads, .effort = {}, .known = {}};
  }

  /// Times the operators that searches over rewrites of a model meet.
  void time_operators(ProfiledSearch& profiled, const Model& model, const ProfileEffort& effort) {
    ProfileRequest request = profile_request();
    request.effort = effort;
    request.effort.wall_limit = kProfileShare * time_.search_seconds_left();
    progress_.begin("timing operators", 0.3);
    try {
      const std::size_t timed = profiled.learn(model, [&](const ObservedGraph& nodes) {
        ProfileTable timings = time_nodes(nodes, request);
        if (request_.record_timings) request_.record_timings(timings);
        return timings;
      });
      delivery_.log.push_back(
          {Stage::profile, "operators", Verdict::timed, fmt::format("not known before: {}", timed)});
    } catch (const InputError& error) {
      delivery_.log.push_back({Stage::profile, "operators", Verdict::failed, error.what()});
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
      const std::optional<Proposal> next = made(move, delivery_.chosen, delivery_.log);
      if (!next) continue;
      const double saved = 1 - profiled.predicted_seconds(*next->model) / profiled.predicted_seconds(*start.model);
      const Equivalence same = compare(*next->model);
      if (same.equal) delivery_.chosen = *next;
      const std::string why = timed ? fmt::format("timings of operators predict {:.1f} % less time", 100 * saved)
                                    : "takes work away on every runtime";
      delivery_.log.push_back({Stage::search, move.name, same.equal ? Verdict::kept : Verdict::rejected,
                               same.equal ? why : "changes results: " + same.reason});
    }
  }

  /// Measures what was found against the original by fresh runs. What that does not prove faster is dropped for the
  /// start, of which nothing is claimed then, and the start for the original should it prove slower.
  void settle(const Proposal& start) {
    progress_.begin("measuring the result against the original", 0.96);
    measure_against_original(delivery_.chosen);
    if (!delivery_.gain && delivery_.chosen.steps.size() != start.steps.size()) {
      delivery_.log.push_back({Stage::measure, "what was found", Verdict::rejected,
                               "no gain over the original is proved", delivery_.whole});
      delivery_.chosen = start;
      measure_against_original(start);
      delivery_.gain = false;
    }
    const bool slower = delivery_.whole && delivery_.whole->differs && delivery_.whole->ratio > 1;
    if (delivery_.gain) {
      delivery_.log.push_back(
          {Stage::measure, "whole", Verdict::kept, "measured faster than the original", delivery_.whole});
    } else if (!slower) {
      delivery_.log.push_back(
          {Stage::measure, "whole", Verdict::no_gain, "not proved faster than the original", delivery_.whole});
    } else {
      delivery_.log.push_back(
          {Stage::measure, "whole", Verdict::rejected, "measured slower than the original", delivery_.whole});
      delivery_.chosen = source_;
      delivery_.whole.reset();
    }
  }

  void measure_against_original(const Proposal& chosen) {
    std::vector<Proposal> proposals{source_, chosen};
    const bool model_changed = chosen.model != source_.model;
    const bool options_changed = chosen.options != source_.options;
    const bool has_plan = std::ranges::find(chosen.steps, Part::plan, &Step::part) != chosen.steps.end();
    constexpr std::size_t kWithParts = 4;  // the shares of model and options apart
    if (model_changed && options_changed && !has_plan && judge_->most_at_once() >= kWithParts &&
        time_.can_measure(kWithParts)) {
      proposals.push_back({.model = chosen.model, .options = source_.options, .steps = chosen.steps});
      proposals.push_back({.model = source_.model, .options = chosen.options, .steps = chosen.steps});
    }
    const double seconds = time_.final_seconds(proposals.size());
    Measurement& found = delivery_.measurement.emplace(judge_->measure(proposals, seconds));
    constexpr const char* kNames[] = {"original", "hone", "hone, default options", "original, options of hone"};
    for (std::size_t i = 0; i < proposals.size(); ++i) found.models[i].name = kNames[i];
    if (const std::string& failure = found.models[0].failure; !failure.empty())
      fail("{}: the original does not run: {}", original_.source, failure);
    delivery_.whole = found.models[1].ratio;
    delivery_.gain = delivery_.whole && delivery_.whole->differs && delivery_.whole->ratio < 1;
    const bool apart =
        proposals.size() == kWithParts;  // else what each gives is known only where it is the only change
    delivery_.model_part =
        model_changed && (apart || !options_changed) ? found.models[apart ? 2 : 1].ratio : std::nullopt;
    delivery_.runtime_part =
        options_changed && (apart || !model_changed) ? found.models[apart ? 3 : 1].ratio : std::nullopt;
  }

  /// Delivers the best of what was chosen, the start and the original that passes all checks.
  void verify(const Proposal& start) {
    progress_.begin("verifying", 1);
    for (const Proposal& proposal : {delivery_.chosen, start, source_}) {
      delivery_.chosen = proposal;
      delivery_.verified = compare(*proposal.model);
      if (check_->compares()) log_check(check_->where(), delivery_.verified);
      else delivery_.log.push_back({Stage::verify, "outputs", Verdict::skipped, check_->obstacle()});
      delivery_.verified_on_runtime.reset();
      if (judge_ && !proposal.steps.empty()) verify_on_runtime(proposal);
      if (delivery_.correct()) return;
      delivery_.gain = false;
      delivery_.whole.reset();
    }
  }

  /// To agree with one of the runtime's baselines is enough.
  void verify_on_runtime(const Proposal& proposal) {
    for (const Baseline& baseline : request_.runtime->baselines()) {
      delivery_.verified_on_runtime = run_on_runtime(proposal, baseline.options);
      log_check(baseline.name, *delivery_.verified_on_runtime);
      if (delivery_.verified_on_runtime->equal) return;
    }
  }

  void log_check(const std::string& where, const Equivalence& result) {
    delivery_.log.push_back({.stage = Stage::verify,
                             .subject = where,
                             .verdict = result.equal ? Verdict::done : Verdict::failed,
                             .reason = result.equal ? tried_text(result) : result.reason,
                             .figures = result.equal ? tolerance_text(result) : std::string()});
  }

  const Model& original_;
  const DeliveryRequest& request_;
  DeliveryTime time_;
  Proposal source_;
  std::optional<ModelCheck> check_;
  std::optional<RuntimeJudge> judge_;
  std::optional<PriceGuide> guide_;
  DeliveryProgress progress_;
  Delivery delivery_;
};

}  // namespace

Delivery deliver(const Model& original, const DeliveryRequest& request) { return Pipeline(original, request).run(); }

}  // namespace hone

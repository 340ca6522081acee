#include "deliver/kernel_forecast.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/timer.h"
#include "deliver/climb.h"

namespace hone {
namespace {

constexpr double kSurelySlower = 1.05;       // share of the start's time from which on a move is not timed
constexpr double kPromising = 0.99;          // and below which it is tried together with others
constexpr double kSmallestForecast = 0.005;  // of the time, that a move has to take away from what others left
constexpr double kFirstLookShare = 0.8;      // of the seconds, for every move alone
constexpr double kShortestLook = 1;          // seconds, for what is tried on top

double sum_of(const ExecutedGraph& graph) {
  double seconds = graph.frame_seconds;
  for (const ExecutedKernels& each : graph.kernels) seconds += each.seconds;
  return seconds;
}

/// What a proposal takes as a share of what another does.
std::optional<double> share_of(const Forecast& forecast, const Proposal& proposal, const Proposal& of) {
  const std::optional<double> taken = forecast.seconds(proposal), whole = forecast.seconds(of);
  return taken && whole && *whole > 0 ? std::optional(*taken / *whole) : std::nullopt;
}

struct ForecastMove {
  Move move;
  std::optional<double> share;  // of the start's time that it leaves
  double hopeful_share = 1;     // if things go well
};

std::optional<double> hopeful_share_of(const Forecast& forecast, const Proposal& proposal, const Proposal& of) {
  const std::optional<double> taken = forecast.hopeful_seconds(proposal), whole = forecast.seconds(of);
  return taken && whole && *whole > 0 ? std::optional(*taken / *whole) : std::nullopt;
}

Decision left_out(const Move& move, double share, const std::string& lost) {
  return {.stage = Stage::search,
          .subject = move.name,
          .verdict = Verdict::rejected,
          .reason = "forecast to take longer",
          .figures = fmt::format("forecast {:.3f} of the time{}{}", share, lost.empty() ? "" : "; ", lost)};
}

/// The same move, which knows what it makes of the start: applied there again, it need not be made again.
Move remembering(Move move, const Proposal& start, const Proposal& to) {
  move.apply = [apply = std::move(move.apply), start, to](const Proposal& from) -> std::optional<Proposal> {
    const bool is_start = from.model == start.model && from.options == start.options;
    return is_start ? std::optional(to) : apply(from);
  };
  return move;
}

/// One move that makes several, one after another.
Move in_one(const std::vector<Move>& moves) {
  std::string name;
  for (const Move& move : moves) name += (name.empty() ? "" : " + ") + move.name;
  return {.kind = Move::Kind::model, .name = name, .apply = [moves](const Proposal& from) -> std::optional<Proposal> {
            Proposal to = from;
            for (const Move& move : moves)
              if (std::optional<Proposal> next = move.apply(to)) to = std::move(*next);
            return to.steps.size() > from.steps.size() ? std::optional(to) : std::nullopt;
          }};
}

/// Moves that are worth it one on top of another, by the forecast, and what they make of the start together.
struct WantedMoves {
  std::vector<Move> moves;
  Proposal made;
};

WantedMoves wanted_together(const Proposal& start, const std::vector<ForecastMove>& ordered, Forecast& forecast,
                            DecisionLog& log, double wall_seconds) {
  const Timer timer;
  WantedMoves wanted{.moves = {}, .made = start};
  double share = 1;
  std::set<const ForecastMove*> taken;
  bool is_first_pass = true;
  for (bool has_changed = true; has_changed; is_first_pass = false) {
    has_changed = false;
    for (const ForecastMove& each : ordered) {
      // What is worth nothing alone may be worth something on top of others.
      if (!each.share || taken.contains(&each) || (is_first_pass && *each.share > kPromising)) continue;
      if (timer.seconds() > wall_seconds && !wanted.moves.empty()) return wanted;  // the first one is made already
      const std::optional<Proposal> next = made(each.move, wanted.made, log);
      if (!next) continue;
      forecast.look_at({&*next, 1}, std::max(kShortestLook, wall_seconds - timer.seconds()));
      const std::optional<double> with = share_of(forecast, *next, start);
      if (!with || *with > share - kSmallestForecast) continue;
      wanted.moves.push_back(each.move);
      wanted.made = *next;
      share = *with;
      taken.insert(&each);
      has_changed = true;
    }
  }
  return wanted;
}

}  // namespace

void KernelForecast::look_at(std::span<const Proposal> proposals, double wall_seconds) {
  std::vector<std::shared_ptr<const Model>> wanted;
  for (const Proposal& proposal : proposals)
    if (!executed_.contains(proposal.model)) wanted.push_back(proposal.model);
  if (wanted.empty()) return;
  std::vector<Model> made_static;
  for (const auto& model : wanted) made_static.push_back(sources_.made_static(*model));
  std::vector<ModelToRun> models;
  for (std::size_t i = 0; i < wanted.size(); ++i) models.push_back({made_static[i], sources_.file_of(wanted[i])});
  sources_.profile.effort.wall_limit = wall_seconds;
  ExecutedGraphs found;
  try {
    const bool has_groups = !sources_.profile.runtime->plan_machine().empty();
    found = has_groups ? executed_groups(models, sources_.profile) : executed_graphs(models, sources_.profile);
  } catch (const InputError&) {
    found.graphs.resize(wanted.size());  // the time was up: nothing is said of them
  }
  for (std::size_t i = 0; i < wanted.size(); ++i) executed_[wanted[i]] = std::move(found.graphs[i]);
  for (const NodeTiming& timing : found.timings.records()) sources_.profile.known.add(timing);
  if (sources_.record) sources_.record(found.timings);
}

/// Null where nothing is known of it.
const ExecutedGraph* KernelForecast::executed(const Proposal& proposal) const {
  const auto found = executed_.find(proposal.model);
  return found == executed_.end() || found->second.kernels.empty() ? nullptr : &found->second;
}

std::optional<double> KernelForecast::seconds(const Proposal& proposal) const {
  const ExecutedGraph* graph = executed(proposal);
  return graph == nullptr ? std::nullopt : std::optional(sum_of(*graph));
}

std::string KernelForecast::lost_fusions(const Proposal& proposal, const Proposal& against) const {
  const ExecutedGraph *graph = executed(proposal), *before = executed(against);
  if (graph == nullptr || before == nullptr) return {};
  std::string lost;
  for (const ExecutedKernels& each : before->kernels) {
    if (each.op.find('.') == std::string::npos) continue;  // of no domain: an operator as the model has it
    const auto found = std::ranges::find(graph->kernels, each.op, &ExecutedKernels::op);
    const std::size_t count = found == graph->kernels.end() ? 0 : found->count;
    if (count < each.count)
      lost += fmt::format("{}{} {} instead of {}", lost.empty() ? "" : ", ", each.op, count, each.count);
  }
  return lost;
}

OrderedMoves ordered_by_forecast(const Proposal& start, std::vector<Move> moves, Forecast& forecast, DecisionLog& log,
                                 double wall_seconds) {
  const Timer timer;
  std::vector<Proposal> proposals = {start};
  std::vector<std::optional<std::size_t>> places;  // of moves among the proposals
  for (const Move& move : moves) {
    std::optional<Proposal> next = made(move, start, log);
    places.push_back(next ? std::optional(proposals.size()) : std::nullopt);
    if (next) proposals.push_back(std::move(*next));
  }
  forecast.look_at(proposals, kFirstLookShare * wall_seconds);
  std::vector<ForecastMove> ordered;
  for (std::size_t i = 0; i < moves.size(); ++i) {
    if (!places[i]) continue;  // it changes nothing
    const Proposal& to = proposals[*places[i]];
    const std::optional<double> share = share_of(forecast, to, start);
    const double hopeful = hopeful_share_of(forecast, to, start).value_or(1);
    if (hopeful > kSurelySlower) log.push_back(left_out(moves[i], *share, forecast.lost_fusions(to, start)));
    else ordered.push_back({remembering(std::move(moves[i]), start, to), share, hopeful});
  }
  std::ranges::stable_sort(ordered, {}, &ForecastMove::hopeful_share);
  OrderedMoves found;
  WantedMoves wanted = wanted_together(start, ordered, forecast, log, wall_seconds - timer.seconds());
  if (wanted.moves.size() > 1) found.together = remembering(in_one(wanted.moves), start, wanted.made);
  if (found.together) found.moves.push_back(*found.together);
  if (!wanted.moves.empty()) found.wanted = std::move(wanted.made);
  for (ForecastMove& each : ordered) found.moves.push_back(std::move(each.move));
  return found;
}

}  // namespace hone

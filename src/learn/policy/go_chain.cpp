#include "learn/policy/go_chain.h"

namespace hone {

GoChain::GoChain(const GoQuestion& question, Trace trace)
    : question_(question), trace_(std::move(trace)), decoder_(question.graph, question.task, question.decode) {}

std::optional<GoStep> GoChain::step(double temperature, Rng& rng) {
  if (question_.decode == GoDecode::direct && !point_)
    if (!begin(decoder_.stretches(question_.start)) || !point_) return std::nullopt;
  GoStep step;
  step.first = !point_;
  step.before = score_;
  step.sight = go_sight_of(question_.graph, point_ ? &*point_ : nullptr, history_, question_.tasks);
  const GoScores scores = question_.network.decide(question_.graph, question_.embedded, step.sight, question_.tasks);
  step.choice = draw_go_choice(scores, question_.graph.devices(), temperature, step.first, rng);
  const Decisions row =
      decoder_.decode(step.choice, point_ ? &*point_ : nullptr, row_.empty() ? question_.kept : row_, question_.start);
  if (!take_up(row, step.after)) return std::nullopt;
  ++history_.passes;
  history_.stalled = step.after < step.before ? 0 : history_.stalled + 1;
  history_.direction = GoPass::numbered(step.choice.pass).direction;
  return step;
}

bool GoChain::begin(const Decisions& row) {
  Score ignored;
  return take_up(row, ignored);
}

/// Carries out a plan and goes on from it if it is no worse; false when the budget is spent.
bool GoChain::take_up(const Decisions& row, Score& score) {
  const std::optional<Timeline> timeline = trace_(row);
  if (!timeline) return false;
  decoder_.learn_fit(timeline->cost);
  score = hone::score(question_.graph.problem().objective, timeline->cost);
  Plan plan = question_.start;
  question_.task.apply(row, plan);
  // A plan that never ends has not run everything, and nothing can be learned of when it would.
  if (timeline->runs.size() != plan.group_count() || score_ < score) return true;
  point_ = ListPoint::of(*timeline, plan, question_.graph.problem());
  row_ = row;
  score_ = score;
  return true;
}

}  // namespace hone

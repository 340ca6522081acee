#include "rewrite/search/extraction.h"

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "base/random.h"
#include "base/timer.h"

namespace hone {
namespace {

std::vector<bool> needed_classes(const ExtractionProblem& problem, const Selection& selection) {
  std::vector<bool> is_needed(problem.makers.size(), false);
  for (const std::uint32_t root : problem.roots) is_needed[root] = true;
  for (auto each = static_cast<std::uint32_t>(problem.makers.size()); each-- > 0;)
    if (is_needed[each] && !problem.makers[each].empty())
      for (const std::uint32_t need : problem.choices[selection[each]].needs) is_needed[need] = true;
  return is_needed;
}

/// A selection with counts of who needs what, so that exchanging a choice costs as much as what changes.
class CountedSelection {
 public:
  CountedSelection(const ExtractionProblem& problem, Selection selection)
      : problem_(problem),
        selection_(std::move(selection)),
        readers_(problem.makers.size(), 0),
        uses_(problem.choices.size(), 0) {
    for (const std::uint32_t root : problem.roots)
      if (readers_[root]++ == 0 && needs_a_choice(root)) use(selection_[root]);
  }

  double seconds() const { return seconds_; }
  bool is_needed(std::uint32_t each) const { return readers_[each] > 0; }
  std::uint32_t choice(std::uint32_t each) const { return selection_[each]; }
  const Selection& selection() const { return selection_; }

  void exchange(std::uint32_t each, std::uint32_t choice) {
    const std::uint32_t before = selection_[each];
    if (before == choice) return;
    selection_[each] = choice;
    if (!is_needed(each)) return;
    use(choice);  // first, so that what both need stays
    drop(before);
  }

 private:
  bool needs_a_choice(std::uint32_t each) const { return !problem_.makers[each].empty(); }

  void use(std::uint32_t choice) {
    pending_ = {choice};
    while (!pending_.empty()) {
      const std::uint32_t next = pending_.back();
      pending_.pop_back();
      if (uses_[next]++ > 0) continue;
      seconds_ += problem_.choices[next].seconds;
      for (const std::uint32_t each : problem_.choices[next].needs)
        if (readers_[each]++ == 0 && needs_a_choice(each)) pending_.push_back(selection_[each]);
    }
  }

  void drop(std::uint32_t choice) {
    pending_ = {choice};
    while (!pending_.empty()) {
      const std::uint32_t next = pending_.back();
      pending_.pop_back();
      if (--uses_[next] > 0) continue;
      seconds_ -= problem_.choices[next].seconds;
      for (const std::uint32_t each : problem_.choices[next].needs)
        if (--readers_[each] == 0 && needs_a_choice(each)) pending_.push_back(selection_[each]);
    }
  }

  const ExtractionProblem& problem_;
  Selection selection_;
  std::vector<std::uint32_t> readers_;  // by class
  std::vector<std::uint32_t> uses_;     // by choice: classes it is needed for
  std::vector<std::uint32_t> pending_;
  double seconds_ = 0;
};

/// Takes a choice for all needed classes that it makes, if that saves something.
bool try_choice(const ExtractionProblem& problem, CountedSelection& selection, std::uint32_t choice) {
  const std::vector<std::uint32_t>& makes = problem.choices[choice].makes;
  if (std::ranges::none_of(
          makes, [&](std::uint32_t each) { return selection.is_needed(each) && selection.choice(each) != choice; }))
    return false;
  const double before = selection.seconds();
  std::vector<std::uint32_t> old;
  for (const std::uint32_t each : makes) {
    old.push_back(selection.choice(each));
    selection.exchange(each, choice);
  }
  if (selection.seconds() < before * (1 - 1e-9)) return true;
  for (std::size_t i = makes.size(); i-- > 0;) selection.exchange(makes[i], old[i]);
  return false;
}

/// Gives classes that are not needed the choice that would be cheapest if they were, what is needed now being there.
Selection with_cheapest_others(const ExtractionProblem& problem, Selection selection) {
  const std::vector<bool> is_needed = needed_classes(problem, selection);
  std::vector<double> seconds(problem.makers.size(), 0);
  for (std::uint32_t each = 0; each < problem.makers.size(); ++each) {
    if (is_needed[each] || problem.makers[each].empty()) continue;
    seconds[each] = std::numeric_limits<double>::infinity();
    for (const std::uint32_t choice : problem.makers[each]) {
      double sum = problem.choices[choice].seconds;
      for (const std::uint32_t need : problem.choices[choice].needs) sum += seconds[need];
      if (sum >= seconds[each]) continue;
      seconds[each] = sum;
      selection[each] = choice;
    }
  }
  return selection;
}

constexpr std::size_t kKicks = 64;  // times that a descent begins again near the best
constexpr std::size_t kKicked = 4;  // classes whose choice is drawn anew for that

/// Descends, and again from near the best, which finds what takes several exchanges at once.
Selection greedy(const ExtractionProblem& problem, const Selection& start, const ExtractionLimits& limits) {
  Rng rng(0);
  Selection best = descend(problem, start, limits.deadline);
  double least = total_seconds(problem, best);
  for (std::size_t kick = 0; kick < kKicks && !limits.deadline.is_over(); ++kick) {
    std::vector<std::uint32_t> open;  // needed classes that can be made in several ways
    const std::vector<bool> is_needed = needed_classes(problem, best);
    for (std::uint32_t each = 0; each < problem.makers.size(); ++each)
      if (is_needed[each] && problem.makers[each].size() > 1) open.push_back(each);
    if (open.empty()) break;
    Selection near = best;
    for (std::size_t i = 0; i < kKicked; ++i) {
      const std::uint32_t each = open[rng.below(open.size())];
      near[each] = problem.makers[each][rng.below(problem.makers[each].size())];
    }
    near = descend(problem, std::move(near), limits.deadline);
    const double seconds = total_seconds(problem, near);
    if (seconds >= least) continue;
    least = seconds;
    best = std::move(near);
  }
  return best;
}

const ExtractionKind greedy_extraction("greedy", greedy);

}  // namespace

std::vector<std::uint32_t> needed_choices(const ExtractionProblem& problem, const Selection& selection) {
  const std::vector<bool> is_needed = needed_classes(problem, selection);
  std::vector<bool> is_taken(problem.choices.size(), false);
  std::vector<std::uint32_t> taken;
  for (std::uint32_t each = 0; each < problem.makers.size(); ++each) {
    if (!is_needed[each] || problem.makers[each].empty() || is_taken[selection[each]]) continue;
    is_taken[selection[each]] = true;
    taken.push_back(selection[each]);
  }
  return taken;
}

double total_seconds(const ExtractionProblem& problem, const Selection& selection) {
  double seconds = 0;
  for (const std::uint32_t choice : needed_choices(problem, selection)) seconds += problem.choices[choice].seconds;
  return seconds;
}

Selection descend(const ExtractionProblem& problem, Selection selection, const Deadline& deadline) {
  for (bool better = true; better;) {
    better = false;
    CountedSelection counted(problem, with_cheapest_others(problem, std::move(selection)));
    for (std::uint32_t choice = 0; choice < problem.choices.size() && !deadline.is_over(); ++choice)
      better = try_choice(problem, counted, choice) || better;
    selection = counted.selection();
  }
  return selection;
}

}  // namespace hone

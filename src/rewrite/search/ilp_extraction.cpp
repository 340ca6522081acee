#include <algorithm>
#include <limits>

#include "base/integer_program.h"
#include "rewrite/search/extraction.h"

// Choosing from an e-graph as an integer program, in the form of Tensat without its variables for the order, as what
// is chosen from cannot be cyclic:
//
//   x[choice] is taken or not, c[class] is needed or not          least sum of seconds * x
//   x[choice] <= c[class]        for every class that the choice needs
//   c[class]  <= sum of x        over the choices that make it; c = 1 for the roots
//
// Classes that cost nothing (weights) are left out.

namespace hone {
namespace {

class ExtractionProgram {
 public:
  ExtractionProgram(const ExtractionProblem& problem, const Selection& start) : problem_(problem), start_(start) {
    find_free();
    const std::vector<std::uint32_t> taken = needed_choices(problem, start);
    is_taken_.assign(problem.choices.size(), false);
    for (const std::uint32_t choice : taken) is_taken_[choice] = true;
    unit_ = std::max(total_seconds(problem, start), 1e-30);
    choices_.assign(problem.choices.size(), -1);
    classes_.assign(problem.makers.size(), -1);
    for (const std::uint32_t root : problem.roots) need(root);
    while (!pending_.empty()) {
      const std::uint32_t next = pending_.back();
      pending_.pop_back();
      add_class(next);
    }
    for (const std::uint32_t root : problem.roots)
      if (classes_[root] >= 0) program_.add_row({{classes_[root], 1}}, 1, kEndless);
  }

  Selection solve(const ExtractionLimits& limits) const {
    const std::vector<double> values = program_.solve(values_, limits.nodes, limits.deadline).values;
    Selection selection = start_;
    for (std::size_t each = 0; each < classes_.size(); ++each) {
      if (free_[each] >= 0) selection[each] = static_cast<std::uint32_t>(free_[each]);
      if (values.empty() || classes_[each] < 0) continue;
      const auto taken = std::ranges::find_if(problem_.makers[each], [&](std::uint32_t choice) {
        return values[static_cast<std::size_t>(choices_[choice])] > 0.5;
      });
      if (taken != problem_.makers[each].end()) selection[each] = *taken;
    }
    return selection;
  }

 private:
  static constexpr double kEndless = std::numeric_limits<double>::infinity();

  /// Finds classes that can be made at no cost, and by which choice.
  void find_free() {
    free_.assign(problem_.makers.size(), -1);
    std::vector<bool> is_free(problem_.makers.size(), false);
    for (std::size_t each = 0; each < problem_.makers.size(); ++each) {
      const auto choice = std::ranges::find_if(problem_.makers[each], [&](std::uint32_t maker) {
        return problem_.choices[maker].seconds == 0 &&
               std::ranges::all_of(problem_.choices[maker].needs, [&](std::uint32_t need) { return is_free[need]; });
      });
      is_free[each] = problem_.makers[each].empty() || choice != problem_.makers[each].end();
      if (choice != problem_.makers[each].end()) free_[each] = *choice;
    }
  }

  /// The column of a class, which is added when first asked for; negative for one that costs nothing.
  int need(std::uint32_t each) {
    if (problem_.makers[each].empty() || free_[each] >= 0) return -1;
    if (classes_[each] < 0) {
      classes_[each] = add({}, 0);
      pending_.push_back(each);
    }
    return classes_[each];
  }

  void add_class(std::uint32_t each) {
    IntegerProgram::Terms makers = {{classes_[each], -1}};
    for (const std::uint32_t choice : problem_.makers[each]) {
      if (choices_[choice] < 0) add_choice(choice);
      makers.emplace_back(choices_[choice], 1);
      if (is_taken_[choice]) values_[static_cast<std::size_t>(classes_[each])] = 1;
    }
    program_.add_row(std::move(makers), 0, kEndless);
  }

  void add_choice(std::uint32_t choice) {
    const double price = problem_.choices[choice].seconds / unit_;
    choices_[choice] = add({.price = price, .kind = IntegerProgram::Kind::integer}, is_taken_[choice] ? 1 : 0);
    for (const std::uint32_t each : problem_.choices[choice].needs)
      if (const int column = need(each); column >= 0)
        program_.add_row({{column, 1}, {choices_[choice], -1}}, 0, kEndless);
  }

  int add(const IntegerProgram::Column& column, double value) {
    values_.push_back(value);
    return program_.add_column(column);
  }

  const ExtractionProblem& problem_;
  const Selection& start_;
  std::vector<bool> is_taken_;  // by the start
  IntegerProgram program_;
  std::vector<double> values_;          // of the start, by column
  std::vector<std::int64_t> free_;      // by class, the choice that makes it for nothing; negative where there is none
  std::vector<int> choices_, classes_;  // columns; negative where there is none
  std::vector<std::uint32_t> pending_;  // classes whose makers are not in the program yet
  double unit_ = 1;                     // seconds of the start, so that prices are about 1
};

Selection by_integer_program(const ExtractionProblem& problem, const Selection& start, const ExtractionLimits& limits) {
  Selection best = ExtractionKind::named("greedy").improve(problem, start, limits);
  const Selection found = ExtractionProgram(problem, best).solve(limits);
  return total_seconds(problem, found) < total_seconds(problem, best) ? found : best;
}

const ExtractionKind ilp_extraction("ilp", by_integer_program);

}  // namespace
}  // namespace hone

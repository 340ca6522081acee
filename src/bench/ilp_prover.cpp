// Proves what is best to choose from a cyclic e-graph by an integer program, as Tensat does. Choices that need what
// cannot be made without the class they make are left out, since they always close a cycle; other cycles are kept out
// by Tensat's variables for the order, and forbidden one by one where rounding lets one through.

#include <algorithm>
#include <limits>

#include "base/integer_program.h"
#include "bench/saturated_graph.h"

namespace hone {
namespace {

constexpr double kUnbounded = std::numeric_limits<double>::infinity();

/// Classes that can be made without one of them.
std::vector<bool> makeable_without(const ExtractionProblem& problem, std::uint32_t without,
                                   const std::vector<std::vector<std::uint32_t>>& readers) {
  std::vector<bool> makeable(problem.makers.size());
  std::vector<std::size_t> missing;
  std::vector<std::uint32_t> ready;
  for (std::uint32_t i = 0; i < problem.choices.size(); ++i)
    if (missing.emplace_back(problem.choices[i].needs.size()) == 0) ready.push_back(i);
  while (!ready.empty()) {
    const std::uint32_t made = problem.choices[ready.back()].makes[0];
    ready.pop_back();
    if (made == without || makeable[made]) continue;
    makeable[made] = true;
    for (const std::uint32_t reader : readers[made])
      if (--missing[reader] == 0) ready.push_back(reader);
  }
  return makeable;
}

/// Choices that can be part of no choice without cycles.
std::vector<bool> vain_choices(const ExtractionProblem& problem) {
  std::vector<std::vector<std::uint32_t>> readers(problem.makers.size());
  for (std::uint32_t i = 0; i < problem.choices.size(); ++i)
    for (const std::uint32_t need : problem.choices[i].needs) readers[need].push_back(i);
  std::vector<bool> vain(problem.choices.size());
  for (std::uint32_t each = 0; each < problem.makers.size(); ++each) {
    if (problem.makers[each].size() < 2) continue;  // a class that is made in one way has no choice
    const std::vector<bool> makeable = makeable_without(problem, each, readers);
    for (const std::uint32_t maker : problem.makers[each])
      vain[maker] =
          std::ranges::any_of(problem.choices[maker].needs, [&](std::uint32_t need) { return !makeable[need]; });
  }
  return vain;
}

class CyclicProgram {
 public:
  CyclicProgram(const ExtractionProblem& problem, const CyclicChoice& start)
      : problem_(problem), unit_(std::max(start.cost, 1e-30)) {
    const std::vector<bool> vain = vain_choices(problem);
    for (std::size_t i = 0; i < problem.choices.size(); ++i)
      program_.add_column({.high = vain[i] ? 0.0 : 1.0,
                           .price = problem.choices[i].seconds / unit_,
                           .kind = IntegerProgram::Kind::integer});
    const auto choices = static_cast<int>(problem.choices.size());
    for (std::size_t i = 0; i < problem.makers.size(); ++i) program_.add_column({});
    for (std::size_t i = 0; i < problem.makers.size(); ++i) {
      IntegerProgram::Terms makers = {{choices + static_cast<int>(i), -1}};
      for (const std::uint32_t maker : problem.makers[i]) makers.emplace_back(static_cast<int>(maker), 1);
      program_.add_row(std::move(makers), 0, kUnbounded);
    }
    for (int i = 0; i < choices; ++i)
      for (const std::uint32_t need : problem.choices[static_cast<std::size_t>(i)].needs)
        program_.add_row({{choices + static_cast<int>(need), 1}, {i, -1}}, 0, kUnbounded);
    for (const std::uint32_t root : problem.roots)
      program_.add_row({{choices + static_cast<int>(root), 1}}, 1, kUnbounded);
  }

  ProvedChoice prove(const CyclicChoice& start, const Deadline& deadline) {
    constexpr std::int64_t kNodes = 1'000'000;
    ProvedChoice proved{start, 0};
    while (!deadline.is_over()) {
      const IntegerProgram::Outcome outcome = program_.solve(values_of(proved.choice), kNodes, deadline);
      proved.bound = std::max(proved.bound, outcome.bound * unit_);
      if (outcome.values.empty() || proved.bound >= proved.choice.cost * (1 - 1e-7)) break;
      Selection selection = proved.choice.selection;
      for (std::size_t i = 0; i < problem_.makers.size(); ++i)
        for (const std::uint32_t maker : problem_.makers[i])
          if (outcome.values[maker] > 0.5) selection[i] = maker;
      const FollowedSelection followed = follow(problem_, selection);
      if (!followed.cycle.empty()) {
        forbid(followed.cycle);
        continue;
      }
      double cost = 0;
      for (const std::uint32_t choice : followed.choices) cost += problem_.choices[choice].seconds;
      if (cost >= proved.choice.cost * (1 - 1e-9)) break;
      proved.choice = {std::move(selection), cost};
    }
    return proved;
  }

 private:
  std::vector<double> values_of(const CyclicChoice& choice) const {
    const std::size_t choices = problem_.choices.size();
    std::vector<double> values(choices + problem_.makers.size());
    for (const std::uint32_t each : follow(problem_, choice.selection).choices) {
      const std::uint32_t made = problem_.choices[each].makes[0];
      values[each] = values[choices + made] = 1;
    }
    return values;
  }

  /// Not all choices of a cycle at once.
  void forbid(const std::vector<std::uint32_t>& cycle) {
    IntegerProgram::Terms terms;
    for (const std::uint32_t choice : cycle) terms.emplace_back(static_cast<int>(choice), 1);
    program_.add_row(std::move(terms), -kUnbounded, static_cast<double>(cycle.size()) - 1);
  }

  const ExtractionProblem& problem_;
  double unit_;  // so that prices are about 1
  IntegerProgram program_;
};

const ExtractionProver ilp_prover("ilp", [](const ExtractionProblem& problem, const CyclicChoice& start,
                                            const Deadline& deadline) {
  return CyclicProgram(problem, start).prove(start, deadline);
});

}  // namespace
}  // namespace hone

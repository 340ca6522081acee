// Proves what is best to choose from a cyclic e-graph by an integer program, as Tensat does; cycles are not kept out by
// variables for the order but forbidden one by one as solutions run into them, since few do.

#include <algorithm>
#include <limits>

#include "base/integer_program.h"
#include "bench/saturated_graph.h"

namespace hone {
namespace {

constexpr double kUnbounded = std::numeric_limits<double>::infinity();

class CyclicProgram {
 public:
  CyclicProgram(const ExtractionProblem& problem, const CyclicChoice& start)
      : problem_(problem), unit_(std::max(start.cost, 1e-30)) {
    for (const ExtractionProblem::Choice& choice : problem.choices)
      program_.add_column({.price = choice.seconds / unit_, .kind = IntegerProgram::Kind::integer});
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
    for (const std::uint32_t root : problem.roots) program_.add_row({{choices + static_cast<int>(root), 1}}, 1, kUnbounded);
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
    std::vector<double> values(problem_.choices.size() + problem_.makers.size());
    for (const std::uint32_t each : follow(problem_, choice.selection).choices) {
      values[each] = 1;
      values[problem_.choices.size() + problem_.choices[each].makes[0]] = 1;
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

#pragma once

#include <algorithm>
#include <limits>

#include "base/random.h"
#include "rewrite/search/extraction.h"

// For tests of extraction: small problems and their best answer by trying everything.

namespace hone {

/// Up to three choices a class, some of which make a second class as well.
inline ExtractionProblem random_extraction(std::uint64_t seed) {
  Rng rng(seed);
  constexpr std::uint32_t kClasses = 8;
  ExtractionProblem problem;
  problem.makers.resize(kClasses);
  for (std::uint32_t each = 1; each < kClasses; ++each) {
    const std::size_t count = 1 + rng.below(3);
    for (std::size_t i = 0; i < count; ++i) {
      ExtractionProblem::Choice choice{
          .seconds = 1.0 + static_cast<double>(rng.below(9)), .needs = {}, .makes = {each}};
      for (std::uint32_t need = 0; need < each; ++need)
        if (rng.below(each) < 2) choice.needs.push_back(need);
      const auto number = static_cast<std::uint32_t>(problem.choices.size());
      if (each + 1 < kClasses && rng.below(3) == 0) choice.makes.push_back(each + 1);
      for (const std::uint32_t made : choice.makes) problem.makers[made].push_back(number);
      problem.choices.push_back(std::move(choice));
    }
  }
  problem.roots = {kClasses - 1, kClasses - 2};
  return problem;
}

inline double least_seconds(const ExtractionProblem& problem) {
  Selection selection(problem.makers.size(), 0);
  std::vector<std::size_t> places(problem.makers.size(), 0);
  double least = std::numeric_limits<double>::infinity();
  while (true) {
    for (std::size_t each = 0; each < places.size(); ++each)
      if (!problem.makers[each].empty()) selection[each] = problem.makers[each][places[each]];
    least = std::min(least, total_seconds(problem, selection));
    std::size_t each = 0;
    while (each < places.size() && ++places[each] >= std::max<std::size_t>(1, problem.makers[each].size()))
      places[each++] = 0;
    if (each == places.size()) return least;
  }
}

inline Selection first_makers(const ExtractionProblem& problem) {
  Selection selection;
  for (const auto& makers : problem.makers) selection.push_back(makers.empty() ? 0 : makers[0]);
  return selection;
}

}  // namespace hone

#include "bench/brkga_oracle.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace hone {
namespace {

struct Chromosome {
  std::vector<float> genes;
  Cost cost;
  Score score;
};

class SlowBrkga {
 public:
  SlowBrkga(const Problem& problem, const Task& task, Evaluator& evaluator, const BrkgaParameters& parameters,
            std::uint64_t seed)
      : problem_(problem), task_(task), evaluator_(evaluator), parameters_(parameters), rng_(seed) {}

  SlowSolution run(std::size_t generations) {
    std::vector<Chromosome> population = ranked(judged(first_generation()));
    for (std::size_t i = 0; i < generations; ++i) population = ranked(next_generation(population));
    solution_.plan = decoded(population.front().genes);
    solution_.score = population.front().score;
    return solution_;
  }

 private:
  std::size_t share(double part) const {
    return static_cast<std::size_t>(std::lround(part * static_cast<double>(parameters_.population)));
  }

  std::vector<float> drawn() {
    std::vector<float> genes;
    while (genes.size() < task_.sites().size()) {
      const std::uint64_t bits = rng_.next();
      genes.push_back(static_cast<float>(bits & 0xFFFFFF) / 16777216.0F);
      genes.push_back(static_cast<float>((bits >> 32) & 0xFFFFFF) / 16777216.0F);
    }
    genes.resize(task_.sites().size());
    return genes;
  }

  std::vector<Chromosome> first_generation() {
    std::vector<Chromosome> population(static_cast<std::size_t>(parameters_.population));
    for (Chromosome& chromosome : population) chromosome.genes = drawn();
    const Decisions start = task_.encode(undecided_plan(problem_));
    population[0].genes = start;
    const std::size_t near = std::min(share(parameters_.near), population.size() - 1);
    const auto sites = static_cast<double>(start.size());
    for (std::size_t i = 1; i <= near; ++i) {
      const double others = std::pow(std::max(1.0, sites / 3), static_cast<double>(i) / static_cast<double>(near));
      for (std::size_t gene = 0; gene < start.size(); ++gene)
        if (rng_.uniform() * sites >= others) population[i].genes[gene] = start[gene];
    }
    return population;
  }

  std::vector<Chromosome> next_generation(const std::vector<Chromosome>& ranked) {
    const std::size_t elites = std::max<std::size_t>(1, share(parameters_.elite));
    const std::size_t mutants = std::min(share(parameters_.mutants), ranked.size() - elites);
    std::vector<Chromosome> fresh(ranked.size() - elites);
    for (std::size_t i = 0; i < fresh.size(); ++i) {
      if (i + mutants >= fresh.size()) {
        fresh[i].genes = drawn();
      } else {
        const std::size_t elite = rng_.below(elites);
        const std::size_t other = elites + rng_.below(ranked.size() - elites);
        fresh[i].genes = child_of(ranked[elite].genes, ranked[other].genes);
      }
    }
    std::vector<Chromosome> next(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(elites));
    for (Chromosome& chromosome : judged(std::move(fresh))) next.push_back(std::move(chromosome));
    return next;
  }

  /// Lots are drawn for 512 genes at a time, four with each number.
  std::vector<float> child_of(const std::vector<float>& elite, const std::vector<float>& other) {
    const auto threshold = std::lround(parameters_.bias * 65535) - 32768;
    std::vector<std::int16_t> lots;
    while (lots.size() < elite.size())
      for (std::size_t draw = 0; draw < 128; ++draw) {
        const std::uint64_t bits = rng_.next();
        for (const int shift : {0, 16, 32, 48}) lots.push_back(static_cast<std::int16_t>(bits >> shift));
      }
    std::vector<float> child;
    for (std::size_t i = 0; i < elite.size(); ++i) child.push_back(lots[i] < threshold ? elite[i] : other[i]);
    return child;
  }

  Plan decoded(const std::vector<float>& genes) const {
    Plan plan = undecided_plan(problem_);
    task_.apply(genes, plan);
    return plan;
  }

  std::vector<Chromosome> judged(std::vector<Chromosome> population) {
    for (Chromosome& chromosome : population) {
      chromosome.cost = evaluator_.evaluate(decoded(chromosome.genes));
      chromosome.score = score(problem_.objective, chromosome.cost);
      ++solution_.evaluations;
    }
    return population;
  }

  bool decide_the_same(const Chromosome& a, const Chromosome& b) const {
    for (std::size_t i = 0; i < a.genes.size(); ++i) {
      if (const std::uint32_t options = task_.sites()[i].options; options > 0) {
        if (option_of(a.genes[i], options) != option_of(b.genes[i], options)) return false;
        continue;
      }
      for (std::size_t j = 0; j < i; ++j)
        if (task_.sites()[j].options == 0 && (a.genes[j] <= a.genes[i]) != (b.genes[j] <= b.genes[i])) return false;
    }
    return true;
  }

  /// Best first; what decides the same as a better one goes to the end.
  std::vector<Chromosome> ranked(std::vector<Chromosome> population) const {
    std::ranges::stable_sort(population, [](const Chromosome& a, const Chromosome& b) {
      return std::tie(a.score, a.cost.seconds, a.cost.peak_bytes) <
             std::tie(b.score, b.cost.seconds, b.cost.peak_bytes);
    });
    std::vector<Chromosome> distinct, repeated;
    for (Chromosome& chromosome : population) {
      const bool repeats =
          !distinct.empty() && chromosome.cost == distinct.back().cost && decide_the_same(distinct.back(), chromosome);
      (repeats ? repeated : distinct).push_back(std::move(chromosome));
    }
    for (Chromosome& chromosome : repeated) distinct.push_back(std::move(chromosome));
    return distinct;
  }

  const Problem& problem_;
  const Task& task_;
  Evaluator& evaluator_;
  BrkgaParameters parameters_;
  Rng rng_;
  SlowSolution solution_;
};

}  // namespace

SlowSolution brkga_slowly(const Problem& problem, const Task& task, Evaluator& evaluator,
                          const BrkgaParameters& parameters, std::uint64_t seed, std::size_t generations) {
  return SlowBrkga(problem, task, evaluator, parameters, seed).run(generations);
}

}  // namespace hone

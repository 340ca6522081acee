#pragma once

#include <cstdint>

#include "plan/methods/genes.h"
#include "plan/methods/population.h"
#include "plan/search/optimizer.h"

namespace hone {

/// What can be chosen about a biased random-key genetic algorithm.
struct BrkgaParameters {
  std::int64_t population = 60;
  double elite = 0.3;
  double mutants = 0.05;
  double bias = 0.7;
  std::int64_t parents = 4;
  std::int64_t elite_parents = 2;
  double near = 0.6;
  std::int64_t islands = 1;
  std::int64_t migrate = 20;
  std::int64_t restart = 200;
  double until = 1;

  Parameters list() {
    return Parameters()
        .add("population", &population, {4, 1e6}, "chromosomes of a generation")
        .add("elite", &elite, {0.01, 0.5}, "share of a generation that lives on")
        .add("mutants", &mutants, {0, 0.5}, "share of a generation that is drawn at random")
        .add("bias", &bias, {0.5, 1}, "chance that a child takes a gene from an elite parent")
        .add("parents", &parents, {2, 100}, "parents of a child")
        .add("elite_parents", &elite_parents, {1, 99}, "so many of them elite; the others are not")
        .add("near", &near, {0, 1}, "share of the first generation that is the start with some genes drawn anew")
        .add("islands", &islands, {1, 64}, "populations that evolve side by side and share the generation's size")
        .add("migrate", &migrate, {1, 1e9}, "generations after which the best of an island moves on to the next")
        .add("restart", &restart, {1, 1e9}, "generations without a better plan after which it begins anew")
        .add("until", &until, {0, 1}, "share of the budget after which it ends, for what comes next");
  }
};

/// Biased random-key genetic algorithm: Goncalves and Resende, "Biased random-key genetic algorithms for combinatorial
/// optimization", 2011; with several parents as in Andrade, Toso, Goncalves, Resende, "The multi-parent biased
/// random-key genetic algorithm with implicit path-relinking", 2021; guided as in Paliwal et al., "Reinforced genetic
/// algorithm learning for optimizing computation graphs", 2020.
class Brkga final : public Optimizer {
 public:
  explicit Brkga(const BrkgaParameters& parameters, GeneGuidance guidance = {});

  void run(Search& search) override;
  Parameters parameters() override { return parameters_.list(); }
  bool plans_groups() const override { return true; }

 private:
  std::vector<Population> make_islands(const Search& search) const;

  BrkgaParameters parameters_;
  GeneGuidance guidance_;
};

}  // namespace hone

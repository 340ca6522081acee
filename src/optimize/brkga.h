#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/optimizer.h"

namespace hone {

/// What can be chosen about a biased random-key genetic algorithm.
struct BrkgaParameters {
  std::int64_t population = 100;
  double elite = 0.2;
  double mutants = 0.15;
  double bias = 0.7;
  double near = 0.3;
  std::int64_t restart = 200;

  Parameters list() {
    return Parameters()
        .add("population", &population, {4, 1e6}, "chromosomes of a generation")
        .add("elite", &elite, {0.01, 0.5}, "share of a generation that lives on")
        .add("mutants", &mutants, {0, 0.5}, "share of a generation that is drawn at random")
        .add("bias", &bias, {0.5, 1}, "chance that a child takes a gene from its elite parent")
        .add("near", &near, {0, 1}, "share of the first generation that is the start with some genes drawn anew")
        .add("restart", &restart, {1, 1e9}, "generations without a better plan after which it begins anew");
  }
};

/// What a policy may know beforehand about the genes of one problem (REGAL): the distribution that mutants are drawn
/// from, a Beta for every gene, and for every gene the chance that a child takes it from its elite parent. Empty:
/// uniform, and BrkgaParameters::bias.
struct GeneGuidance {
  struct Beta {
    float alpha = 1, beta = 1;
  };
  std::vector<Beta> distribution;
  std::vector<float> bias;
};

/// Biased random-key genetic algorithm: Goncalves and Resende, "Biased random-key genetic algorithms for combinatorial
/// optimization", 2011; guided as in Paliwal et al., "Reinforced genetic algorithm learning for optimizing computation
/// graphs", 2020. Plans that cost the same to the last bit in time and memory count as one: only the first is elite.
class Brkga final : public Optimizer {
 public:
  explicit Brkga(const BrkgaParameters& parameters, GeneGuidance guidance = {});

  void run(Search& search) override;
  nlohmann::ordered_json parameters() override { return parameters_.list().json(); }

 private:
  struct Member {
    Cost cost;
    Score score;
    std::uint32_t row = 0;  // in genes_
  };

  void prepare(const Search& search);
  /// False when the budget is spent; so with the others.
  bool begin(Search& search, std::span<const float> start);
  bool advance(Search& search);
  void rank();
  void draw(std::span<float> genes);
  void stay_near(std::span<const float> start);
  void mate(std::span<const float> elite, std::span<const float> other, std::span<float> child);
  bool judge(Search& search, std::size_t first_member);
  std::span<float> row(std::vector<float>& genes, std::size_t i) {
    return std::span(genes).subspan(i * sites_, sites_);
  }

  BrkgaParameters parameters_;
  GeneGuidance guidance_;
  Rng rng_{0};
  std::size_t sites_ = 0, population_ = 0, elites_ = 0, mutants_ = 0;
  std::vector<float> genes_, next_genes_;  // a row a member
  std::vector<Member> members_, ranked_;   // best first
  std::vector<std::uint32_t> thresholds_;  // by gene: of 65,536 children so many take the elite's
};

}  // namespace hone

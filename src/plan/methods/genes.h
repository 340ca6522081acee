#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/random.h"
#include "plan/search/task.h"

namespace hone {

/// What a policy may know beforehand about the genes of one problem (REGAL): the distribution that mutants are drawn
/// from, a Beta for every gene, and for every gene the chance that a child takes it from an elite parent. Empty:
/// uniform, and the same chance for all. A policy that decides genes not one by one but in view of each other draws
/// whole chromosomes.
struct GeneGuidance {
  /// Writes a chromosome; false: this one is to be drawn gene by gene.
  using Sample = std::function<bool(std::span<float>)>;

  struct Beta {
    float alpha = 1, beta = 1;
  };
  std::vector<Beta> distribution;
  std::vector<float> bias;
  Sample sample;
};

/// Where the genes of a child come from.
struct Mating {
  std::size_t parents = 2;
  std::size_t elite = 1;  // of them, the first ones
  double bias = 0.7;      // chance that a gene is an elite parent's, whichever of them
};

/// Draws chromosomes and mixes them; every gene it makes comes out of one stream of random numbers.
class GeneSource {
 public:
  GeneSource(std::size_t genes, const Mating& mating, const GeneGuidance& guidance, Rng rng);

  Rng& rng() { return rng_; }
  void draw(std::span<float> genes);
  /// Each gene from an elite parent with the chance of its bias, else from another one. Elite parents come first.
  void mate(std::span<const std::span<const float>> parents, std::span<float> child);

 private:
  std::vector<GeneGuidance::Beta> distribution_;
  GeneGuidance::Sample sample_;
  // By parent but the last, by gene: it is this parent's, or one's before, when a random word is less.
  std::vector<std::vector<std::int16_t>> thresholds_;
  Rng rng_;
};

/// A number that decisions share only if they are the same to every task: the same options, and keys in the same order.
std::uint64_t hash_of_decoded(std::span<const float> keys, std::span<const Site> sites);

}  // namespace hone

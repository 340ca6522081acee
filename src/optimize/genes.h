#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"
#include "core/task.h"

namespace hone {

/// What a policy may know beforehand about the genes of one problem (REGAL): the distribution that mutants are drawn
/// from, a Beta for every gene, and for every gene the chance that a child takes it from an elite parent. Empty:
/// uniform, and the same chance for all.
struct GeneGuidance {
  struct Beta {
    float alpha = 1, beta = 1;
  };
  std::vector<Beta> distribution;
  std::vector<float> bias;
};

/// The parents of a child: so many of them elite, and these come first.
struct Parents {
  std::span<const std::span<const float>> genes;
  std::size_t elite = 1;
};

/// Draws chromosomes and mixes them; every gene it makes comes out of one stream of random numbers.
class GeneSource {
 public:
  GeneSource(std::size_t genes, double bias, const GeneGuidance& guidance, Rng rng);

  Rng& rng() { return rng_; }
  void draw(std::span<float> genes);
  /// Each gene from an elite parent with the chance of its bias, else from another one.
  void mate(const Parents& parents, std::span<float> child);

 private:
  void mate_two(std::span<const float> elite, std::span<const float> other, std::span<float> child);

  std::vector<GeneGuidance::Beta> distribution_;
  std::vector<std::int16_t> thresholds_;  // by gene: it is an elite parent's when a random word is less
  Rng rng_;
};

/// A number that decisions share only if they are the same to every task: the same options, and keys in the same order.
std::uint64_t hash_of_decoded(std::span<const float> keys, std::span<const Site> sites);

}  // namespace hone

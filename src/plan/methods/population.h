#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/methods/genes.h"
#include "plan/search/search.h"

namespace hone {

/// How many of a generation are what.
struct PopulationShape {
  std::size_t members = 0;
  std::size_t elites = 0;   // live on
  std::size_t mutants = 0;  // are drawn at random
  Mating mating;
};

/// The chromosomes of one island of a genetic algorithm. It never evaluates: it says which rows are new and is told
/// what they cost. Of members that decide the same all but one rank behind the rest, so that elites differ.
class Population {
 public:
  Population(const PopulationShape& shape, std::span<const Site> sites, GeneSource source);

  /// A generation at random; with a `start`, that is the first member, and the `near` next have ever more other genes,
  /// from one up to a third.
  void begin(std::span<const float> start, std::size_t near);
  /// The next generation: the elites, then children, then mutants.
  void advance();

  /// The rows that `begin` or `advance` has made, one after another; `take` wants their costs in the same order.
  std::span<const float> fresh() const { return std::span(genes_).subspan(fresh_ * sites_.size()); }
  std::size_t fresh_count() const { return shape_.members - fresh_; }
  void take(std::span<const Cost> costs, const Search& search);

  /// After `take`.
  const Score& best() const { return ranked_.front().score; }
  /// Makes the best of another island a member here, in the place of the worst.
  void welcome(const Population& other);

 private:
  struct Member {
    Cost cost;
    Score score;
    std::uint32_t row = 0;  // in genes_
  };

  void rank();
  bool decide_the_same(const Member& a, const Member& b) const;
  void mate(std::span<float> child);
  std::span<float> row(std::vector<float>& genes, std::size_t i) const {
    return std::span(genes).subspan(i * sites_.size(), sites_.size());
  }
  std::span<const float> row(std::size_t i) const {
    return std::span(genes_).subspan(i * sites_.size(), sites_.size());
  }

  PopulationShape shape_;
  std::span<const Site> sites_;
  GeneSource source_;
  std::vector<float> genes_, next_genes_;  // a row a member
  std::vector<Member> members_, ranked_;   // ranked_: best first
  std::vector<std::span<const float>> parents_;
  std::size_t fresh_ = 0;  // rows before this one have been evaluated already
};

}  // namespace hone

#include "plan/methods/population.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace hone {

Population::Population(const PopulationShape& shape, std::span<const Site> sites, GeneSource source)
    : shape_(shape),
      sites_(sites),
      source_(std::move(source)),
      genes_(shape.members * sites.size()),
      next_genes_(genes_.size()),
      members_(shape.members),
      ranked_(shape.members),
      parents_(shape.mating.parents) {}

void Population::begin(std::span<const float> start, std::size_t near) {
  fresh_ = 0;
  for (std::size_t i = 0; i < shape_.members; ++i) source_.draw(row(genes_, i));
  if (start.empty()) return;
  std::ranges::copy(start, row(genes_, 0).begin());
  near = std::min(near, shape_.members - 1);
  const auto sites = static_cast<double>(sites_.size());
  for (std::size_t i = 1; i <= near; ++i) {
    const double others = std::pow(std::max(1.0, sites / 3), static_cast<double>(i) / static_cast<double>(near));
    const std::span<float> genes = row(genes_, i);
    for (std::size_t gene = 0; gene < genes.size(); ++gene)
      if (source_.rng().uniform() * sites >= others) genes[gene] = start[gene];
  }
}

void Population::advance() {
  fresh_ = shape_.elites;
  for (std::size_t i = 0; i < shape_.elites; ++i) {
    std::ranges::copy(row(ranked_[i].row), row(next_genes_, i).begin());
    members_[i] = ranked_[i];
    members_[i].row = static_cast<std::uint32_t>(i);
  }
  const std::size_t children_end = shape_.members - shape_.mutants;
  for (std::size_t i = shape_.elites; i < children_end; ++i) mate(row(next_genes_, i));
  for (std::size_t i = children_end; i < shape_.members; ++i) source_.draw(row(next_genes_, i));
  std::swap(genes_, next_genes_);
}

void Population::mate(std::span<float> child) {
  for (std::size_t i = 0; i < parents_.size(); ++i) {
    const std::size_t rank = i < shape_.mating.elite
                                 ? source_.rng().below(shape_.elites)
                                 : shape_.elites + source_.rng().below(shape_.members - shape_.elites);
    parents_[i] = row(ranked_[rank].row);
  }
  source_.mate(parents_, child);
}

void Population::take(std::span<const Cost> costs, const Search& search) {
  for (std::size_t i = 0; i < costs.size(); ++i)
    members_[fresh_ + i] = {costs[i], search.score(costs[i]), static_cast<std::uint32_t>(fresh_ + i)};
  rank();
}

void Population::rank() {
  std::ranges::sort(members_, [](const Member& a, const Member& b) {
    return std::tie(a.score, a.cost.seconds, a.cost.peak_bytes, a.row) <
           std::tie(b.score, b.cost.seconds, b.cost.peak_bytes, b.row);
  });
  std::size_t front = 0, back = shape_.members;
  for (const Member& member : members_) {
    const bool repeated = front > 0 && decide_the_same(ranked_[front - 1], member);
    if (repeated) ranked_[--back] = member;
    else ranked_[front++] = member;
  }
  std::ranges::reverse(std::span(ranked_).subspan(back));
}

/// What decides the same costs the same, so that few pairs have to be looked at.
bool Population::decide_the_same(const Member& a, const Member& b) const {
  if (a.cost != b.cost) return false;
  return std::ranges::equal(row(a.row), row(b.row)) ||
         hash_of_decoded(row(a.row), sites_) == hash_of_decoded(row(b.row), sites_);
}

void Population::welcome(const Population& other) {
  const Member guest = other.ranked_.front();
  const std::uint32_t place = ranked_.back().row;
  std::ranges::copy(other.row(guest.row), row(genes_, place).begin());
  members_ = ranked_;
  members_.back() = {guest.cost, guest.score, place};
  rank();
}

}  // namespace hone

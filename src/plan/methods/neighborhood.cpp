#include "plan/methods/neighborhood.h"

#include <algorithm>
#include <cmath>

namespace hone {
namespace {

constexpr double kFirstSuccess = 0.2;   // what is thought of every kind of change before it is tried
constexpr double kLeastSuccess = 0.03;  // so that none is given up
constexpr double kMemory = 0.98;        // weight of the past in what is learned
constexpr std::size_t kLargestCluster = 64;

/// From low to high, each order of magnitude as likely as the next.
double log_uniform(Rng& rng, double low, double high) { return low * std::pow(high / low, rng.uniform()); }

}  // namespace

Neighborhood::Neighborhood(const Problem& problem, const Task& task, std::optional<PlanField> only)
    : sites_(task.sites()), only_(only) {
  std::vector<bool> known(sites_.size());
  for (std::size_t i = 0; i < problem.workload.operation_count(); ++i) {
    const std::span<const std::uint32_t> about = task.sites_about(OperationId(i));
    for (const std::uint32_t site : about) known[site] = true;
    add_subject(about);
  }
  connect(problem.workload);
  for (std::uint32_t site = 0; site < sites_.size(); ++site)
    if (!known[site]) add_subject(std::span(&site, 1));
  success_.fill(kFirstSuccess);
}

void Neighborhood::add_subject(std::span<const std::uint32_t> sites) {
  Subject subject;
  for (const std::uint32_t site : sites) {
    if (only_ && sites_[site].field != *only_) continue;
    if (sites_[site].options >= 2) subject.choices.push_back(site);
    if (sites_[site].options == 0) subject.keys.push_back(site);
  }
  const auto index = static_cast<std::uint32_t>(subjects_.size());
  if (!subject.choices.empty()) choosers_.push_back(index);
  if (!subject.keys.empty()) keyed_.push_back(index);
  if (!subject.choices.empty() || !subject.keys.empty()) movable_.push_back(index);
  subjects_.push_back(std::move(subject));
}

void Neighborhood::connect(const Workload& workload) {
  for (std::size_t i = 0; i < workload.buffer_count(); ++i) {
    const OperationId producer = workload.buffer(BufferId(i)).producer;
    if (!producer.valid()) continue;
    for (const OperationId reader : workload.readers(BufferId(i))) {
      subjects_[producer.index()].neighbors.push_back(reader.index());
      subjects_[reader.index()].neighbors.push_back(producer.index());
    }
  }
}

void Neighborhood::aim(std::span<const Blame> blames, double focus) {
  blamed_.clear();
  blame_until_.clear();
  focus_ = focus;
  double sum = 0;
  for (const Blame& blame : blames) {
    const Subject& subject = subjects_[blame.operation.index()];
    if (blame.share <= 0 || (subject.choices.empty() && subject.keys.empty())) continue;
    blamed_.push_back(blame.operation.index());
    blame_until_.push_back(sum += blame.share);
  }
}

/// A subject, one to blame more often than not.
std::uint32_t Neighborhood::pick(Rng& rng) const {
  if (blamed_.empty() || rng.uniform() >= focus_) return movable_[rng.below(movable_.size())];
  const auto found = std::ranges::upper_bound(blame_until_, rng.uniform() * blame_until_.back());
  return blamed_[std::min<std::size_t>(found - blame_until_.begin(), blamed_.size() - 1)];
}

/// The same among `able`, which is sorted and not empty.
std::uint32_t Neighborhood::pick_from(const std::vector<std::uint32_t>& able, Rng& rng) const {
  const std::uint32_t picked = pick(rng);
  return std::ranges::binary_search(able, picked) ? picked : able[rng.below(able.size())];
}

/// Two operations or more that hang together, the larger the rarer.
std::vector<std::uint32_t> Neighborhood::pick_cluster(std::uint32_t first, Rng& rng) const {
  const double most = static_cast<double>(std::clamp<std::size_t>(movable_.size() / 4, 3, kLargestCluster));
  const auto wanted = static_cast<std::size_t>(log_uniform(rng, 2, most));
  std::vector<std::uint32_t> cluster{first};
  for (std::size_t tries = 4 * wanted; tries > 0 && cluster.size() < wanted; --tries) {
    const std::vector<std::uint32_t>& near = subjects_[cluster[rng.below(cluster.size())]].neighbors;
    if (near.empty()) continue;
    const std::uint32_t next = near[rng.below(near.size())];
    if (std::ranges::find(cluster, next) == cluster.end()) cluster.push_back(next);
  }
  return cluster;
}

std::uint32_t Neighborhood::other_option(std::uint32_t site, std::span<const float> row, Rng& rng) const {
  const std::uint32_t options = sites_[site].options;
  const auto other = static_cast<std::uint32_t>(rng.below(options - 1));
  return other < option_of(row[site], options) ? other : other + 1;
}

Neighborhood::Change Neighborhood::change(std::span<float> row, Rng& rng) const {
  std::array<double, kChanges> chances{};
  double sum = 0;
  for (std::size_t i = 0; i < kChanges; ++i) {
    const auto kind = static_cast<Change>(i);
    const bool chooses = kind == Change::choose || kind == Change::gather;
    const bool ranks = kind == Change::rank || kind == Change::shift;
    if ((chooses && choosers_.empty()) || (ranks && keyed_.empty())) continue;
    chances[i] = kLeastSuccess + success_[i];
    sum += chances[i];
  }
  double lot = rng.uniform() * sum;
  std::size_t kind = 0;
  while (kind + 1 < kChanges && (chances[kind] == 0 || lot >= chances[kind])) lot -= chances[kind++];
  switch (static_cast<Change>(kind)) {
    case Change::choose: choose(row, rng); break;
    case Change::rank: rank(row, rng); break;
    case Change::gather: gather(row, rng); break;
    case Change::shift: shift(row, rng); break;
    case Change::exchange: exchange(row, rng); break;
  }
  return static_cast<Change>(kind);
}

Neighborhood::Change Neighborhood::change_some(std::span<float> row, Rng& rng) const {
  const Change first = change(row, rng);
  while (rng.uniform() < 0.5) change(row, rng);
  return first;
}

void Neighborhood::learn(Change change, bool was_better) {
  double& success = success_[static_cast<std::size_t>(change)];
  success = kMemory * success + (1 - kMemory) * (was_better ? 1 : 0);
}

void Neighborhood::choose(std::span<float> row, Rng& rng) const {
  const Subject& subject = subjects_[pick_from(choosers_, rng)];
  const std::uint32_t site = subject.choices[rng.below(subject.choices.size())];
  std::uint32_t option = other_option(site, row, rng);
  if (!subject.neighbors.empty() && rng.uniform() < 0.5) {
    const Subject& neighbor = subjects_[subject.neighbors[rng.below(subject.neighbors.size())]];
    for (const std::uint32_t theirs : neighbor.choices)
      if (sites_[theirs].options == sites_[site].options &&
          option_of(row[theirs], sites_[theirs].options) != option_of(row[site], sites_[site].options))
        option = option_of(row[theirs], sites_[theirs].options);
  }
  row[site] = key_of(option, sites_[site].options);
}

void Neighborhood::rank(std::span<float> row, Rng& rng) const {
  const Subject& subject = subjects_[pick_from(keyed_, rng)];
  const std::uint32_t site = subject.keys[rng.below(subject.keys.size())];
  const double lot = rng.uniform();
  double key = rng.uniform();
  if (lot < 0.33) {
    key = row[site] + 0.1 * rng.normal();
  } else if (lot < 0.67) {
    const Subject& other = subjects_[pick_from(keyed_, rng)];
    const double apart = 0.5 / static_cast<double>(sites_.size());
    key = row[other.keys[rng.below(other.keys.size())]] + (rng.uniform() < 0.5 ? apart : -apart);
  }
  row[site] = static_cast<float>(std::clamp(key, 0.0, 1.0));
}

void Neighborhood::gather(std::span<float> row, Rng& rng) const {
  const std::uint32_t first = pick_from(choosers_, rng);
  const std::uint32_t site = subjects_[first].choices[rng.below(subjects_[first].choices.size())];
  const std::uint32_t options = sites_[site].options;
  const float key = key_of(other_option(site, row, rng), options);
  for (const std::uint32_t member : pick_cluster(first, rng))
    for (const std::uint32_t theirs : subjects_[member].choices)
      if (sites_[theirs].options == options) row[theirs] = key;
}

void Neighborhood::shift(std::span<float> row, Rng& rng) const {
  const double distance = log_uniform(rng, 0.01, 0.5);
  const auto by = static_cast<float>(rng.uniform() < 0.5 ? distance : -distance);
  for (const std::uint32_t member : pick_cluster(pick_from(keyed_, rng), rng))
    for (const std::uint32_t site : subjects_[member].keys) row[site] = std::clamp(row[site] + by, 0.0F, 1.0F);
}

void Neighborhood::exchange(std::span<float> row, Rng& rng) const {
  const Subject& one = subjects_[pick(rng)];
  const Subject& other = subjects_[movable_[rng.below(movable_.size())]];
  for (std::size_t i = 0; i < std::min(one.choices.size(), other.choices.size()); ++i)
    if (sites_[one.choices[i]].options == sites_[other.choices[i]].options)
      std::swap(row[one.choices[i]], row[other.choices[i]]);
  if (rng.uniform() < 0.5)
    for (std::size_t i = 0; i < std::min(one.keys.size(), other.keys.size()); ++i)
      std::swap(row[one.keys[i]], row[other.keys[i]]);
}

}  // namespace hone

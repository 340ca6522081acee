#include "plan/methods/list_moves.h"

#include <algorithm>
#include <cmath>

#include "plan/methods/neighbour_pull.h"

namespace hone {
namespace {

constexpr float kFixed = 1e30F;  // seconds that nothing is worth
constexpr double kLeastChance = 0.03, kMoveMemory = 0.95;
constexpr double kStays = 0.4;        // chance that a turned pass heeds the devices of the one before
constexpr double kPulled = 0.8;       // chance that operations are pulled to where their neighbours were
constexpr double kMostTogether = 64;  // operations

double drawn_price(Rng& rng) { return rng.uniform() < 0.2 ? 0 : 0.1 * std::pow(50, rng.uniform()); }
double drawn_pull(Rng& rng) { return 0.3 * std::pow(5, rng.uniform()); }
double drawn_haste(Rng& rng) { return rng.uniform() < 0.5 ? 0 : 2 * rng.uniform(); }

std::size_t number_of(const ListMoves::Move& move) {
  return static_cast<std::size_t>(move.kept) * 2 + static_cast<std::size_t>(move.direction);
}

/// Moves a share of the keys up or down by as much as `reach`.
void scatter(std::vector<double>& keys, double reach, Rng& rng) {
  const double share = rng.uniform();
  for (double& key : keys)
    if (rng.uniform() < share) key += rng.uniform(-reach, reach);
}

}  // namespace

ListPoint ListPoint::of(const Timeline& timeline, const Plan& plan, const Problem& problem) {
  std::vector<const Timeline::Run*> run_of(timeline.runs.size());
  for (const Timeline::Run& run : timeline.runs) run_of[run.group.index()] = &run;
  ListPoint point;
  for (std::size_t i = 0; i < problem.workload.operation_count(); ++i) {
    const Timeline::Run& run = *run_of[plan.group(OperationId(i)).index()];
    point.starts.push_back(run.start);
    point.finishes.push_back(run.finish);
    point.device_of.push_back(run.device);
    point.seconds = std::max(point.seconds, run.finish);
  }
  point.waits = CriticalWaits(timeline, plan, problem);
  return point;
}

ListMoves::ListMoves(const Durations& durations)
    : durations_(durations),
      ahead_(seconds_to_the_end(durations, TransfersOnPath::ignored)),
      ahead_moving_(seconds_to_the_end(durations, TransfersOnPath::averaged)),
      behind_(seconds_from_the_start(durations, TransfersOnPath::ignored)),
      behind_moving_(seconds_from_the_start(durations, TransfersOnPath::averaged)) {}

std::vector<ListGuidance> ListMoves::first_tries() const {
  std::vector<ListGuidance> tries;
  for (const double haste : {0.0, 1.0})
    for (const double price : {0.0, 1.0, 3.0})
      for (const Direction direction : {Direction::forward, Direction::backward})
        tries.push_back({.direction = direction,
                         .keys = direction == Direction::forward ? ahead_moving_ : behind_moving_,
                         .haste = haste,
                         .transfer_price = price});
  tries.push_back({.keys = seconds_held_up(durations_)});
  return tries;
}

ListMoves::Move ListMoves::draw_move(Rng& rng) const {
  double sum = 0;
  for (const double success : success_) sum += kLeastChance + success;
  double lot = rng.uniform() * sum;
  std::size_t kind = 0;
  while (kind + 1 < kKinds && lot >= kLeastChance + success_[kind]) lot -= kLeastChance + success_[kind++];
  return {static_cast<Kept>(kind / 2), static_cast<Direction>(kind % 2)};
}

void ListMoves::learn(const Move& move, bool was_better) {
  double& success = success_[number_of(move)];
  success = kMoveMemory * success + (1 - kMoveMemory) * (was_better ? 1 : 0);
}

ListGuidance ListMoves::draw(const Move& move, const ListPoint& point, Rng& rng) const {
  ListGuidance guidance{.direction = move.direction, .haste = drawn_haste(rng), .transfer_price = drawn_price(rng)};
  if (move.kept == Kept::nothing) {
    guidance.keys = drawn_paths(move.direction, rng);
    return guidance;
  }
  guidance.keys = move.direction == Direction::forward ? point.starts : point.finishes;
  if (move.direction == Direction::forward)
    for (double& key : guidance.keys) key = -key;
  switch (move.kept) {
    case Kept::nothing: break;
    case Kept::order: keep_order(guidance, point, rng); break;
    case Kept::outside_window: open_window(guidance, point, rng); break;
    case Kept::outside_clusters: move_clusters(guidance, point, rng); break;
    case Kept::outside_waits: end_waits(guidance, point, rng); break;
  }
  return guidance;
}

/// Longest paths with transfers more or less counted, each a little longer or shorter.
std::vector<double> ListMoves::drawn_paths(Direction direction, Rng& rng) const {
  const std::vector<double>& bare = direction == Direction::forward ? ahead_ : behind_;
  const std::vector<double>& moving = direction == Direction::forward ? ahead_moving_ : behind_moving_;
  const double weight = rng.uniform() < 0.3 ? 0 : 2 * rng.uniform();
  const double noise = 0.1 * std::pow(rng.uniform(), 2);
  std::vector<double> keys(bare.size());
  for (std::size_t i = 0; i < keys.size(); ++i)
    keys[i] = (weight * moving[i] + (1 - weight) * bare[i]) * (1 + rng.uniform(-noise, noise));
  return keys;
}

/// By chance a bias against leaving these devices, one against leaving neighbours, both or none. `seconds`: what such a
/// plan takes.
std::vector<float> ListMoves::drawn_pulls(const ListGuidance& guidance, std::span<const DeviceId> device_of,
                                          double seconds, Rng& rng) const {
  std::vector<float> bias;
  if (rng.uniform() < kPulled)
    bias = pull_to_neighbours(durations_, device_of, guidance.direction, guidance.transfer_price * drawn_pull(rng));
  if (rng.uniform() >= kStays) return bias;
  const double mean = seconds / static_cast<double>(device_of.size());
  const std::vector<float> own = pull_to(device_of, mean * std::pow(1000, rng.uniform()));
  if (bias.empty()) return own;
  std::ranges::transform(bias, own, bias.begin(), std::plus());
  return bias;
}

/// A bias of so many seconds against all other devices.
std::vector<float> ListMoves::pull_to(std::span<const DeviceId> device_of, double seconds) const {
  std::vector<float> bias(device_of.size() * device_count(), static_cast<float>(seconds));
  for (std::size_t i = 0; i < device_of.size(); ++i) bias[i * device_count() + device_of[i].index()] = 0;
  return bias;
}

void ListMoves::keep_order(ListGuidance& guidance, const ListPoint& point, Rng& rng) const {
  scatter(guidance.keys, 0.25 * point.seconds * std::pow(rng.uniform(), 3), rng);
  guidance.bias = drawn_pulls(guidance, point.device_of, point.seconds, rng);
}

void ListMoves::open_window(ListGuidance& guidance, const ListPoint& point, Rng& rng) const {
  const double length = 0.5 * point.seconds * std::pow(rng.uniform(), 2);
  const double begin = rng.uniform(-length, point.seconds);
  const double reach = length * rng.uniform(), share = rng.uniform();
  const double pull = rng.uniform() < kPulled ? guidance.transfer_price * drawn_pull(rng) : 0;
  const std::vector<float> open = pull_to_neighbours(durations_, point.device_of, guidance.direction, pull);
  guidance.bias = pull_to(point.device_of, kFixed);
  for (std::size_t i = 0; i < guidance.keys.size(); ++i) {
    if (point.starts[i] < begin || point.starts[i] > begin + length) continue;
    const auto row = static_cast<std::ptrdiff_t>(i * device_count());
    std::copy_n(open.begin() + row, device_count(), guidance.bias.begin() + row);
    if (rng.uniform() < share) guidance.keys[i] += rng.uniform(-reach, reach);
  }
}

void ListMoves::move_clusters(ListGuidance& guidance, const ListPoint& point, Rng& rng) const {
  std::vector<DeviceId> device_of = point.device_of;
  for (std::size_t count = 1 + rng.below(4); count > 0; --count) {
    const DeviceId device(rng.below(device_count()));
    const OperationId first(rng.below(device_of.size()));
    for (const OperationId operation : drawn_cluster(first, {}, rng)) device_of[operation.index()] = device;
  }
  guidance.bias = pull_to(device_of, kFixed);
}

/// Where one operation waits for another one from elsewhere, one of them moves to the other; where it waits for its
/// device, one of them goes away. Others of their device that hang together with it come along.
void ListMoves::end_waits(ListGuidance& guidance, const ListPoint& point, Rng& rng) const {
  const std::vector<CriticalWait> waits = point.waits.drawn_chain(durations_, rng);
  if (waits.empty()) return move_clusters(guidance, point, rng);
  std::vector<DeviceId> device_of = point.device_of;
  for (std::size_t count = 1 + rng.below(3); count > 0; --count) {
    const CriticalWait& wait = waits[rng.below(waits.size())];
    const bool cause_moves = rng.uniform() < 0.5;
    const OperationId first = cause_moves ? wait.cause : wait.waiting;
    const OperationId other = cause_moves ? wait.waiting : wait.cause;
    const DeviceId device = wait.is_transfer ? point.device_of[other.index()] : drawn_device(first, point, rng);
    for (const OperationId operation : drawn_cluster(first, point.device_of, rng))
      device_of[operation.index()] = device;
  }
  guidance.bias = pull_to(device_of, kFixed);
}

/// Any, or one where a neighbour is.
DeviceId ListMoves::drawn_device(OperationId operation, const ListPoint& point, Rng& rng) const {
  const OperationId neighbour = drawn_neighbour(operation, rng);
  return rng.uniform() < 0.5 && neighbour.valid() ? point.device_of[neighbour.index()]
                                                  : DeviceId(rng.below(device_count()));
}

/// Of those that it reads and that read it; none when it has none.
OperationId ListMoves::drawn_neighbour(OperationId operation, Rng& rng) const {
  const auto reads = durations_.reads(operation), read_by = durations_.read_by(operation);
  if (reads.empty() && read_by.empty()) return OperationId();
  const std::size_t lot = rng.below(reads.size() + read_by.size());
  return (lot < reads.size() ? reads[lot] : read_by[lot - reads.size()]).other;
}

/// Operations that hang together, the more the rarer; with devices only those on the device of the first.
std::vector<OperationId> ListMoves::drawn_cluster(OperationId first, std::span<const DeviceId> device_of,
                                                  Rng& rng) const {
  const auto wanted = static_cast<std::size_t>(std::pow(kMostTogether, rng.uniform()));
  std::vector<OperationId> cluster{first};
  for (std::size_t tries = 4 * wanted; tries > 0 && cluster.size() < wanted; --tries) {
    const OperationId next = drawn_neighbour(cluster[rng.below(cluster.size())], rng);
    if (!next.valid()) break;
    if (!device_of.empty() && device_of[next.index()] != device_of[first.index()]) continue;
    if (std::ranges::find(cluster, next) == cluster.end()) cluster.push_back(next);
  }
  return cluster;
}

ListGuidance ListMoves::turned(ListGuidance guidance, std::span<const double> finishes,
                               std::span<const DeviceId> device_of, Rng& rng) const {
  guidance.direction = guidance.direction == Direction::forward ? Direction::backward : Direction::forward;
  guidance.keys.assign(finishes.begin(), finishes.end());
  guidance.bias = drawn_pulls(guidance, device_of, *std::ranges::max_element(finishes), rng);
  return guidance;
}

}  // namespace hone

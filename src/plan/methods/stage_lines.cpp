#include "plan/methods/stage_lines.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/distinct.h"
#include "plan/methods/plan_order.h"
#include "plan/methods/spectral_places.h"

namespace hone {
namespace {

constexpr double kLeastWeight = 0.02;  // of a choice, as part of the mean
constexpr double kBalance = 0.7;       // how far weights follow what devices held

std::vector<std::uint32_t> ranks_in(std::span<const OperationId> order) {
  std::vector<std::uint32_t> ranks(order.size());
  for (std::uint32_t rank = 0; rank < order.size(); ++rank) ranks[order[rank].index()] = rank;
  return ranks;
}

std::size_t peak_in(const OrderMemory& memory, std::span<const OperationId> order) {
  const std::vector<std::int64_t> profile = memory.profile(order);
  return static_cast<std::size_t>(std::ranges::max_element(profile) - profile.begin());
}

}  // namespace

std::vector<StageLines::Life> StageLines::lives(std::span<const OperationId> order) const {
  const std::vector<std::uint32_t> ranks = ranks_in(order);
  std::vector<Life> lives;
  for (std::uint32_t item = 0; item < items_.count(); ++item) {
    const MemoryItems::Item& held = items_.item(item);
    const auto all = static_cast<std::uint32_t>(order.size());
    Life life{.begin = held.maker.valid() ? ranks[held.maker.index()] : 0, .end = all};
    if (held.maker.valid() && !held.kept) {
      life.end = life.begin + 1;
      for (const OperationId user : items_.users(item)) life.end = std::max(life.end, ranks[user.index()] + 1);
    }
    lives.push_back(life);
  }
  return lives;
}

/// Of those who make and use it.
std::vector<std::uint32_t> StageLines::choices_of(std::uint32_t item) const {
  std::vector<std::uint32_t> choices;
  const auto add = [&](OperationId operation) {
    choices.push_back(static_cast<std::uint32_t>(durations_.choices().choice_of(operation)));
  };
  for (const OperationId user : items_.users(item)) add(user);
  if (items_.item(item).maker.valid()) add(items_.item(item).maker);
  return distinct(std::move(choices));
}

/// What is held at the peak, in equal parts for all who make and use it.
std::vector<double> StageLines::weights_at(std::size_t peak, std::span<const Life> lives) const {
  std::vector<double> weight(durations_.choices().count());
  double sum = 0;
  for (std::uint32_t item = 0; item < items_.count(); ++item) {
    if (lives[item].begin > peak || lives[item].end <= peak) continue;
    const std::vector<std::uint32_t> choices = choices_of(item);
    sum += items_.item(item).bytes;
    for (const std::uint32_t choice : choices)
      weight[choice] += items_.item(item).bytes / static_cast<double>(choices.size());
  }
  const double least = std::max(kLeastWeight * sum / static_cast<double>(weight.size()), 1e-300);
  for (double& one : weight) one += least;
  return weight;
}

StageLine StageLines::along(std::vector<OperationId> order) const {
  StageLine line{.weight = weights_at(peak_in(memory_, order), lives(order))};
  std::vector<char> seen(line.weight.size());
  for (const OperationId operation : order) {
    const std::size_t choice = durations_.choices().choice_of(operation);
    if (seen[choice]++ == 0) line.choices.push_back(static_cast<std::uint32_t>(choice));
  }
  line.order = std::move(order);
  return line;
}

StageLine StageLines::by_items(std::vector<OperationId> order, const ItemPull& pull) const {
  const std::vector<Life> held = lives(order);
  const std::size_t peak = peak_in(memory_, order), all = order.size();
  StageLine line = along(std::move(order));
  Nets nets{.nodes = line.choices.size()};
  for (std::uint32_t item = 0; item < items_.count(); ++item) {
    const std::vector<std::uint32_t> choices = choices_of(item);
    if (choices.size() < 2) continue;
    const bool at_peak = held[item].begin <= peak && held[item].end > peak;
    const double life = static_cast<double>(held[item].end - held[item].begin) / static_cast<double>(all);
    for (const std::uint32_t choice : choices) nets.ends.add(choice);
    nets.ends.end_list();
    nets.weight.push_back(items_.item(item).bytes * (pull.always + (at_peak ? pull.at_peak : 0) + pull.life * life));
  }
  const std::vector<double> places = spectral_places(nets);
  // Those that nothing tells apart stay in order.
  std::ranges::stable_sort(line.choices, {}, [&](std::uint32_t choice) { return places[choice]; });
  return line;
}

Plan StageLines::cut(const StageLine& line, const Plan& start) const {
  const std::size_t devices = durations_.problem().machine.device_count();
  const double stage = std::accumulate(line.weight.begin(), line.weight.end(), 0.0) / static_cast<double>(devices);
  std::vector<DeviceId> device_of(line.choices.size());
  double sum = 0;
  for (const std::uint32_t choice : line.choices) {
    const auto at = static_cast<std::size_t>((sum + line.weight[choice] / 2) / stage);
    const std::vector<DeviceId>& able = durations_.choices().devices(choice);
    const DeviceId wanted(std::min(at, devices - 1));
    device_of[choice] = std::ranges::find(able, wanted) == able.end() ? able.front() : wanted;
    sum += line.weight[choice];
  }
  Plan plan = start;
  for (std::size_t i = 0; i < plan.device_of.size(); ++i)
    plan.device_of[i] = device_of[durations_.choices().choice_of(OperationId(i))];
  return in_order(std::move(plan), line.order);
}

StageLine StageLines::balanced(StageLine line, const Plan& plan, std::span<const double> peak_bytes) const {
  const double mean =
      std::accumulate(peak_bytes.begin(), peak_bytes.end(), 0.0) / static_cast<double>(peak_bytes.size());
  if (mean == 0) return line;
  std::vector<DeviceId> device_of(line.weight.size());
  for (const OperationId operation : line.order)
    device_of[durations_.choices().choice_of(operation)] = plan.device_of[operation.index()];
  for (std::size_t choice = 0; choice < line.weight.size(); ++choice)
    line.weight[choice] *= std::pow(peak_bytes[device_of[choice].index()] / mean, kBalance);
  return line;
}

}  // namespace hone

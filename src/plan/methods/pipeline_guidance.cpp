#include "plan/methods/pipeline_guidance.h"

#include <algorithm>
#include <numeric>

#include "base/distinct.h"
#include "plan/methods/spectral_places.h"

namespace hone {
namespace {

/// What counts as hanging together: all that is read, or next to alone what nobody makes, such as weights.
enum class Ties { all, given };
constexpr double kMadeAmongGiven = 0.01;  // what a byte that somebody makes counts among those that nobody does

/// What leaving a stretch costs, as part of the longest path: nothing is worth the first.
constexpr double kLeans[] = {1e6, 0.1, 0.003};

/// Operations that share a device, by place on a line.
std::vector<std::uint32_t> tied_line(const Durations& durations, Ties ties) {
  const DeviceChoices& choices = durations.choices();
  const Workload& workload = durations.problem().workload;
  const auto choice_of = [&](OperationId operation) {
    return static_cast<std::uint32_t>(choices.choice_of(operation));
  };
  Nets nets{.nodes = choices.count()};
  for (std::size_t i = 0; i < workload.buffer_count(); ++i) {
    const BufferId buffer(i);
    const OperationId maker = workload.buffer(buffer).producer;
    std::vector<std::uint32_t> ends;
    if (maker.valid()) ends.push_back(choice_of(maker));
    for (const OperationId reader : workload.readers(buffer)) ends.push_back(choice_of(reader));
    ends = distinct(std::move(ends));
    if (ends.size() < 2) continue;
    for (const std::uint32_t end : ends) nets.ends.add(end);
    nets.ends.end_list();
    nets.weight.push_back(workload.buffer(buffer).bytes * (ties == Ties::given && maker.valid() ? kMadeAmongGiven : 1));
  }
  const std::vector<double> places = spectral_places(nets);
  std::vector<std::uint32_t> line(choices.count());
  std::iota(line.begin(), line.end(), 0U);
  std::ranges::stable_sort(line, {}, [&](std::uint32_t choice) { return places[choice]; });
  return line;
}

/// By operation: the device whose stretch of the line it lies in.
std::vector<DeviceId> stretches(const Durations& durations, const std::vector<std::uint32_t>& line) {
  const DeviceChoices& choices = durations.choices();
  const std::size_t operations = durations.problem().workload.operation_count();
  const std::size_t devices = durations.problem().machine.device_count();
  std::vector<double> seconds(choices.count());
  for (std::size_t i = 0; i < operations; ++i)
    seconds[choices.choice_of(OperationId(i))] += durations.mean_seconds(OperationId(i));
  const double stretch =
      std::max(std::accumulate(seconds.begin(), seconds.end(), 0.0) / static_cast<double>(devices), 1e-300);
  std::vector<DeviceId> of_choice(choices.count());
  double given = 0;
  for (const std::uint32_t choice : line) {
    const DeviceId wanted(std::min(static_cast<std::size_t>((given + seconds[choice] / 2) / stretch), devices - 1));
    const std::vector<DeviceId>& able = choices.devices(choice);
    of_choice[choice] = std::ranges::binary_search(able, wanted) ? wanted : able.front();
    given += seconds[choice];
  }
  std::vector<DeviceId> device_of;
  for (std::size_t i = 0; i < operations; ++i) device_of.push_back(of_choice[choices.choice_of(OperationId(i))]);
  return device_of;
}

}  // namespace

std::vector<ListGuidance> pipeline_guidance(const Durations& durations, ThreadPool& pool) {
  const std::size_t devices = durations.problem().machine.device_count();
  const std::vector<double> ahead = seconds_to_the_end(durations, TransfersOnPath::averaged);
  const std::vector<double> behind = seconds_from_the_start(durations, TransfersOnPath::averaged);
  const double longest = ahead.empty() ? 0 : *std::ranges::max_element(ahead);
  constexpr Ties kTies[] = {Ties::all, Ties::given};
  std::vector<DeviceId> placed[std::size(kTies)];
  pool.for_each(std::size(kTies),
                [&](std::size_t, std::size_t i) { placed[i] = stretches(durations, tied_line(durations, kTies[i])); });
  std::vector<ListGuidance> all;
  for (const double lean : kLeans)
    for (const std::vector<DeviceId>& device_of : placed)
      for (const Direction direction : {Direction::forward, Direction::backward}) {
        ListGuidance guidance{.direction = direction, .keys = direction == Direction::forward ? ahead : behind};
        guidance.bias.assign(device_of.size() * devices, static_cast<float>(lean * longest));
        for (std::size_t i = 0; i < device_of.size(); ++i) guidance.bias[i * devices + device_of[i].index()] = 0;
        all.push_back(std::move(guidance));
      }
  return all;
}

}  // namespace hone

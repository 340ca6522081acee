#include "plan/methods/device_streams.h"

#include <algorithm>
#include <tuple>

namespace hone {

DeviceStreams::DeviceStreams(const Durations& durations, Gaps gaps) : gaps_(gaps), begin_{0} {
  const Machine& machine = durations.problem().machine;
  for (std::size_t i = 0; i < machine.device_count(); ++i) {
    const std::size_t count = machine.kind(DeviceId(i)).streams;
    begin_.push_back(begin_.back() + static_cast<std::uint32_t>(count));
    streams_.insert(streams_.end(), count, FreeTime(durations.shortest_seconds(DeviceId(i))));
  }
}

void DeviceStreams::clear() {
  for (FreeTime& stream : streams_) stream.clear();
}

DeviceStreams::Place DeviceStreams::earliest(DeviceId device, double ready, double seconds) const {
  Place best;
  for (std::uint32_t stream = begin_[device.index()]; stream < begin_[device.index() + 1]; ++stream) {
    const FreeTime& free = streams_[stream];
    const FreeTime::Opening opening =
        free.opening(gaps_ == Gaps::filled ? ready : std::max(ready, free.end()), seconds);
    if (stream == begin_[device.index()] || std::tie(opening.start, opening.idle) < std::tie(best.start, best.idle))
      best = {stream, opening.start, opening.idle};
  }
  return best;
}

std::vector<FreeTime> free_links(const Durations& durations) {
  std::vector<FreeTime> links;
  for (std::size_t i = 0; i < durations.problem().machine.links.size(); ++i)
    links.emplace_back(durations.shortest_transfer_seconds(LinkId(i)));
  return links;
}

}  // namespace hone

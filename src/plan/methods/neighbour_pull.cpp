#include "plan/methods/neighbour_pull.h"

namespace hone {
namespace {

/// Of one buffer over all devices; several readers on a device get it by one transfer, so each counts for its share.
class SharedTransfers {
 public:
  SharedTransfers(const Durations& durations, std::span<const DeviceId> device_of)
      : durations_(durations),
        devices_(durations.problem().machine.device_count()),
        device_of_(device_of),
        readers_(durations.problem().workload.buffer_count() * devices_) {
    for (std::size_t i = 0; i < device_of.size(); ++i)
      for (const Durations::Read& read : durations.reads(OperationId(i))) ++readers(read.buffer, device_of[i]);
  }

  /// Of what an operation would send to a reader if it were on that device.
  double sent_from(DeviceId device, const Durations::Read& read) {
    const DeviceId reader = device_of_[read.other.index()];
    return durations_.transfer_seconds(read.buffer, device, reader) / readers(read.buffer, reader);
  }
  /// Of what an operation would get from who makes it if it were on that device.
  double sent_to(DeviceId device, const Durations::Read& read, OperationId operation) {
    const std::uint32_t others = readers(read.buffer, device) - (device_of_[operation.index()] == device ? 1 : 0);
    return durations_.transfer_seconds(read.buffer, device_of_[read.other.index()], device) / (1 + others);
  }

 private:
  std::uint32_t& readers(BufferId buffer, DeviceId device) {
    return readers_[buffer.index() * devices_ + device.index()];
  }

  const Durations& durations_;
  std::size_t devices_;
  std::span<const DeviceId> device_of_;
  std::vector<std::uint32_t> readers_;  // by buffer * devices + device
};

}  // namespace

std::vector<float> pull_to_neighbours(const Durations& durations, std::span<const DeviceId> device_of,
                                      Direction direction, double price) {
  const std::size_t devices = durations.problem().machine.device_count();
  SharedTransfers transfers(durations, device_of);
  std::vector<float> bias(device_of.size() * devices);
  for (std::size_t i = 0; i < device_of.size(); ++i) {
    const OperationId operation(i);
    const bool is_forward = direction == Direction::forward;
    for (const Durations::Read& read : is_forward ? durations.read_by(operation) : durations.reads(operation)) {
      if (read.is_free) continue;
      for (std::size_t at = 0; at < devices; ++at) {
        const DeviceId device(at);
        const double seconds =
            is_forward ? transfers.sent_from(device, read) : transfers.sent_to(device, read, operation);
        bias[i * devices + at] += static_cast<float>(price * seconds);
      }
    }
  }
  return bias;
}

}  // namespace hone

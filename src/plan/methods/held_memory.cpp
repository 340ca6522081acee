#include "plan/methods/held_memory.h"

#include <algorithm>
#include <bit>

namespace hone {

HeldMemory::HeldMemory(const Workload& workload, std::size_t devices)
    : workload_(workload), held_(devices), on_(workload.buffer_count()), unread_(workload.buffer_count()) {
  static_assert(kMaxDevices <= 64);
  clear();
  for (std::size_t i = 0; i < workload.operation_count(); ++i)
    most_added_.push_back(added(OperationId(i), DeviceId(0)));  // nothing lies anywhere yet
}

void HeldMemory::clear() {
  std::ranges::fill(held_, 0);
  std::ranges::fill(on_, 0);
  for (std::size_t i = 0; i < unread_.size(); ++i)
    unread_[i] = static_cast<std::uint32_t>(workload_.readers(BufferId(i)).size());
}

double HeldMemory::bytes_of(BufferId buffer) const {
  return workload_.buffer(buffer).alias_of.valid() ? 0 : workload_.buffer(buffer).bytes;
}

double HeldMemory::added(OperationId operation, DeviceId device) const {
  double bytes = 0;
  for (const BufferId output : workload_.outputs(operation))
    if (!lies_on(output, device)) bytes += bytes_of(output);
  for (const BufferId input : workload_.inputs(operation))
    if (!lies_on(input, device)) bytes += bytes_of(input);
  return bytes;
}

void HeldMemory::put(BufferId buffer, DeviceId device) {
  if (lies_on(buffer, device)) return;
  on_[buffer.index()] |= std::uint64_t{1} << device.index();
  held_[device.index()] += bytes_of(buffer);
}

void HeldMemory::give_back(BufferId buffer) {
  for (std::uint64_t rest = on_[buffer.index()]; rest != 0; rest &= rest - 1)
    held_[static_cast<std::size_t>(std::countr_zero(rest))] -= bytes_of(buffer);
  on_[buffer.index()] = 0;
}

/// After the last reader only weights, inputs and results stay.
void HeldMemory::read(BufferId buffer) {
  const Buffer& what = workload_.buffer(buffer);
  if (--unread_[buffer.index()] == 0 && what.producer.valid() && !what.is_output) give_back(buffer);
}

void HeldMemory::place(OperationId operation, DeviceId device) {
  for (const BufferId output : workload_.outputs(operation)) put(output, device);
  for (const BufferId input : workload_.inputs(operation)) put(input, device);
  for (const BufferId input : workload_.inputs(operation)) read(input);
  for (const BufferId output : workload_.outputs(operation))
    if (workload_.readers(output).empty() && !workload_.buffer(output).is_output) give_back(output);
}

void HeldMemory::place_backward(OperationId operation, DeviceId device) {
  for (const BufferId input : workload_.inputs(operation)) put(input, device);
  for (const BufferId output : workload_.outputs(operation)) give_back(output);
}

}  // namespace hone

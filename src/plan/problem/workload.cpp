#include "plan/problem/workload.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace hone {
namespace {

bool is_size(double value) { return std::isfinite(value) && value >= 0; }

void check_costs(const Workload& workload) {
  for (std::size_t i = 0; i < workload.operation_count(); ++i) {
    const Operation& operation = workload.operation(OperationId(i));
    const bool seconds_fit = operation.seconds.empty() || operation.seconds.size() == workload.device_kinds.size();
    if (!is_size(operation.flops) || !is_size(operation.bytes) || !seconds_fit)
      fail("{}: operation '{}' has a cost that is negative, not finite or not one a device kind", workload.name,
           operation.name);
    for (const double seconds : operation.seconds)
      if (!std::isnan(seconds) && !is_size(seconds))
        fail("{}: operation '{}' takes {} s", workload.name, operation.name, seconds);
  }
  for (std::size_t i = 0; i < workload.buffer_count(); ++i) {
    const Buffer& buffer = workload.buffer(BufferId(i));
    if (!is_size(buffer.bytes)) fail("{}: buffer '{}' has {} bytes", workload.name, buffer.name, buffer.bytes);
    std::size_t steps = 0;
    for (BufferId at = buffer.alias_of; at.valid(); at = workload.buffer(at).alias_of)
      if (++steps > workload.buffer_count()) fail("{}: buffer '{}' is an alias of itself", workload.name, buffer.name);
  }
}

/// Depth first along producers, so that index order is kept wherever it is valid.
std::vector<OperationId> order_of(const Workload& workload) {
  enum class Mark : std::uint8_t { unseen, open, done };
  struct Frame {
    OperationId operation;
    std::size_t next_input = 0;
  };
  std::vector<OperationId> order;
  std::vector<Mark> marks(workload.operation_count(), Mark::unseen);
  std::vector<Frame> stack;
  for (std::size_t i = 0; i < workload.operation_count(); ++i) {
    if (marks[i] != Mark::unseen) continue;
    marks[i] = Mark::open;
    stack.push_back({OperationId(i)});
    while (!stack.empty()) {
      Frame& frame = stack.back();
      const std::span<const BufferId> inputs = workload.inputs(frame.operation);
      if (frame.next_input == inputs.size()) {
        marks[frame.operation.index()] = Mark::done;
        order.push_back(frame.operation);
        stack.pop_back();
        continue;
      }
      const OperationId producer = workload.buffer(inputs[frame.next_input++]).producer;
      if (!producer.valid() || marks[producer.index()] == Mark::done) continue;
      if (marks[producer.index()] == Mark::open)
        fail("{}: operation '{}' depends on itself", workload.name, workload.operation(producer).name);
      marks[producer.index()] = Mark::open;
      stack.push_back({producer});
    }
  }
  return order;
}

}  // namespace

BufferId WorkloadBuilder::add_buffer(Buffer buffer) {
  workload_.buffers_.push_back(std::move(buffer));
  return BufferId(workload_.buffers_.size() - 1);
}

OperationId WorkloadBuilder::add_operation(Operation operation, std::span<const BufferId> inputs,
                                           std::span<const BufferId> outputs) {
  const OperationId id(workload_.operations_.size());
  for (const BufferId output : outputs) {
    Buffer& buffer = workload_.buffers_[output.index()];
    HONE_CHECK(!buffer.producer.valid(), "buffer '{}' is written twice", buffer.name);
    buffer.producer = id;
  }
  std::vector<BufferId> distinct;
  std::vector<Access> reads;
  last_reader_.resize(workload_.buffers_.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const BufferId input = inputs[i];
    const Access access = i < operation.loop.reads.size() ? operation.loop.reads[i] : Access::other;
    if (last_reader_[input.index()] == id) {
      Access& first = reads[static_cast<std::size_t>(std::ranges::find(distinct, input) - distinct.begin())];
      if (first != access) first = Access::other;
      continue;
    }
    last_reader_[input.index()] = id;
    distinct.push_back(input);
    reads.push_back(access);
  }
  operation.loop.reads = std::move(reads);
  workload_.operations_.push_back(std::move(operation));
  inputs_.push_back(std::move(distinct));
  outputs_.emplace_back(outputs.begin(), outputs.end());
  return id;
}

void WorkloadBuilder::add_dependency(OperationId before, OperationId after) {
  // What is ordered beside its data runs alone: inside a kernel nobody would keep that order.
  workload_.operations_[before.index()].loop = workload_.operations_[after.index()].loop = {};
  Buffer token;
  token.producer = before;
  const BufferId id = add_buffer(std::move(token));
  outputs_[before.index()].push_back(id);
  inputs_[after.index()].push_back(id);
}

Workload WorkloadBuilder::build() && {
  std::vector<std::vector<OperationId>> readers(workload_.buffers_.size());
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    for (const BufferId input : inputs_[i]) readers[input.index()].emplace_back(i);
    workload_.operations_[i].loop.reads.resize(inputs_[i].size(), Access::other);  // orders without data came later
  }
  workload_.inputs_ = FlatLists<BufferId>(inputs_);
  workload_.outputs_ = FlatLists<BufferId>(outputs_);
  workload_.readers_ = FlatLists<OperationId>(readers);
  check_costs(workload_);
  workload_.order_ = order_of(workload_);
  return std::move(workload_);
}

}  // namespace hone

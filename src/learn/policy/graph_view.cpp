#include "learn/policy/graph_view.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hone {
namespace {

void sort_distinct(std::vector<std::uint32_t>& list) {
  std::ranges::sort(list);
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

std::uint32_t root_of(const Workload& workload, std::size_t buffer) {
  while (workload.buffer(BufferId(buffer)).alias_of.valid())
    buffer = workload.buffer(BufferId(buffer)).alias_of.index();
  return static_cast<std::uint32_t>(buffer);
}

}  // namespace

GraphView::GraphView(const Problem& problem)
    : problem_(problem), choices_(problem), devices_(problem.machine.device_count()) {
  add_buffers(problem.workload);
  add_neighbours(problem.workload);
  add_times(problem.workload);
}

void GraphView::add_buffers(const Workload& workload) {
  std::vector<std::vector<std::uint32_t>> makes(workload.operation_count()), reads(workload.operation_count());
  buffers_.resize(workload.buffer_count());
  for (std::size_t i = 0; i < workload.buffer_count(); ++i) {
    const hone::Buffer& buffer = workload.buffer(BufferId(i));
    const std::uint32_t root = root_of(workload, i);
    Buffer& own = buffers_[root];
    own.is_output = own.is_output || buffer.is_output;
    if (root == i) {
      own.bytes = std::ceil(buffer.bytes);
      own.is_resident = !buffer.producer.valid();
      if (buffer.producer.valid()) makes[buffer.producer.index()].push_back(root);
    } else if (buffer.producer.valid()) {
      reads[buffer.producer.index()].push_back(root);
    }
    for (const OperationId reader : workload.readers(BufferId(i))) reads[reader.index()].push_back(root);
  }
  made_bytes_.resize(workload.operation_count());
  read_bytes_.resize(workload.operation_count());
  resident_bytes_.resize(workload.operation_count());
  for (std::size_t operation = 0; operation < reads.size(); ++operation) {
    std::erase_if(reads[operation],
                  [&](std::uint32_t buffer) { return std::ranges::count(makes[operation], buffer) > 0; });
    sort_distinct(reads[operation]);
    for (const std::uint32_t buffer : makes[operation]) made_bytes_[operation] += buffers_[buffer].bytes;
    for (const std::uint32_t buffer : reads[operation]) {
      ++buffers_[buffer].readers;
      (buffers_[buffer].is_resident ? resident_bytes_ : read_bytes_)[operation] += buffers_[buffer].bytes;
    }
  }
  makes_ = FlatLists<std::uint32_t>(makes);
  reads_ = FlatLists<std::uint32_t>(reads);
}

void GraphView::add_neighbours(const Workload& workload) {
  std::vector<std::vector<std::uint32_t>> before(workload.operation_count()), after(workload.operation_count());
  for (std::size_t i = 0; i < workload.buffer_count(); ++i) {
    const OperationId producer = workload.buffer(BufferId(i)).producer;
    if (!producer.valid()) continue;
    for (const OperationId reader : workload.readers(BufferId(i))) {
      after[producer.index()].push_back(reader.index());
      before[reader.index()].push_back(producer.index());
    }
  }
  for (auto& list : before) sort_distinct(list);
  for (auto& list : after) sort_distinct(list);
  before_ = FlatLists<std::uint32_t>(before);
  after_ = FlatLists<std::uint32_t>(after);
  edge_bytes_.resize(before_.items().size());
  for (std::size_t i = 0; i < workload.buffer_count(); ++i) {
    const OperationId producer = workload.buffer(BufferId(i)).producer;
    if (!producer.valid()) continue;
    for (const OperationId reader : workload.readers(BufferId(i))) {
      const std::span<const std::uint32_t> list = before_[reader.index()];
      const auto place = std::ranges::lower_bound(list, producer.index()) - list.begin();
      edge_bytes_[before_.begin_of(reader.index()) + static_cast<std::size_t>(place)] +=
          workload.buffer(BufferId(i)).bytes;
    }
  }
  for (const OperationId operation : workload.topological_order())
    sequence_.push_back(static_cast<std::uint32_t>(operation.index()));
}

void GraphView::add_times(const Workload& workload) {
  const OperationTimes times(workload, problem_.machine);
  const std::size_t operations = workload.operation_count();
  seconds_.resize(operations * devices_);
  for (std::size_t operation = 0; operation < operations; ++operation)
    for (std::size_t device = 0; device < devices_; ++device) {
      const OperationTime& time = times.at(OperationId(operation), problem_.machine.device(DeviceId(device)).kind);
      const double seconds = time.alone(workload.operation(OperationId(operation)).bytes);
      seconds_[operation * devices_ + device] = std::isnan(seconds) ? std::numeric_limits<double>::infinity() : seconds;
    }
  tail_.assign(operations, 0);
  head_.assign(operations, 0);
  const std::span<const OperationId> order = workload.topological_order();
  for (std::size_t i = operations; i-- > 0;) {
    const std::size_t operation = order[i].index();
    for (const std::uint32_t next : after(operation)) tail_[operation] = std::max(tail_[operation], tail_[next]);
    tail_[operation] += least_seconds(operation);
    critical_path_ = std::max(critical_path_, tail_[operation]);
  }
  for (const OperationId id : order)
    for (const std::uint32_t next : after(id.index()))
      head_[next] = std::max(head_[next], head_[id.index()] + least_seconds(id.index()));
}

double GraphView::least_seconds(std::size_t operation) const {
  return *std::min_element(seconds_.begin() + static_cast<std::ptrdiff_t>(operation * devices_),
                           seconds_.begin() + static_cast<std::ptrdiff_t>((operation + 1) * devices_));
}

}  // namespace hone

#include "plan/fuse/priority_fusion.h"

#include <algorithm>
#include <limits>

namespace hone {

PriorityFusion::PriorityFusion(const Problem& problem, const FusionGraph& graph, const Plan& plan, GroupForest& forest)
    : problem_(problem),
      graph_(graph),
      forest_(forest),
      cost_(problem, graph, plan),
      inlined_(graph.size()),
      known_seconds_(graph.size(), -1),
      version_(graph.size()),
      host_stamp_(2 * graph.size()),
      aligned_(graph.size()) {}

std::vector<std::uint8_t> PriorityFusion::run() {
  for (std::uint32_t i = 0; i < graph_.size(); ++i) consider(i);
  while (!queue_.empty()) {
    const Candidate best = queue_.top();
    queue_.pop();
    if (inlined_[best.operation] == 0 && best.version == version_[best.operation]) inline_operation(best.operation);
  }
  return inlined_;
}

/// Gathers the operations of a kernel: the members of a group, `extra`, if that is one, and all that they compute.
void PriorityFusion::collect(std::uint32_t group, std::uint32_t extra) {
  cost_.clear();
  forest_.for_each_member(group, [this](std::uint32_t member) { cost_.add(member); });
  if (extra != kNobody) cost_.add(extra);
  for (std::size_t next = 0; next < cost_.operations().size() && next <= graph_.limits.operations; ++next)
    for (const FusionGraph::Read& read : graph_.producers[cost_.operations()[next].index()])
      if (inlined_[read.operation] != 0) cost_.add(read.operation);
}

/// Whether what was collected, and put in topological order, may be one kernel.
bool PriorityFusion::is_legal(std::uint32_t group, std::size_t homes) {
  const std::span<const OperationId> operations = cost_.operations();
  if (operations.size() > graph_.limits.operations) return false;
  JoinedKernel joined{.kernel = forest_.kernel(group)};
  for (std::size_t i = operations.size(); i-- > 0;) {
    const std::uint32_t operation = operations[i].index();
    aligned_[operation] = 1;
    if (homes == 1 ? operation == group : forest_.find(operation) == group) continue;
    Seat seat;
    for (const FusionGraph::Read& read : graph_.readers[operation]) {
      if (cost_.contains(read.operation)) seat.add(aligned_[read.operation] != 0 ? read.access : Access::other);
    }
    joined = with_producer(joined.kernel, graph_.nodes[operation], seat, graph_.limits);
    if (joined.refusal != Refusal::none) return false;
    aligned_[operation] = seat.aligned ? 1 : 0;
  }
  return true;
}

/// Time of a kernel with an operation more; infinite if that may not be.
double PriorityFusion::seconds(std::uint32_t group, std::uint32_t extra) {
  collect(group, extra);
  const std::size_t homes = forest_.kernel(group).operations;
  const double time = cost_.seconds(homes);
  return extra == kNobody || is_legal(group, homes) ? time : std::numeric_limits<double>::infinity();
}

double PriorityFusion::seconds_of_kernel(std::uint32_t group) {
  if (known_seconds_[group] < 0) known_seconds_[group] = seconds(group, kNobody);
  return known_seconds_[group];
}

/// All groups that read an operation, themselves or by what they compute; too many are as good as one more than may be.
std::span<const std::uint32_t> PriorityFusion::hosts_of(std::uint32_t operation) {
  ++host_stamps_;
  hosts_.clear();
  path_.assign(1, operation);
  const auto is_new = [this](std::size_t place) {
    return std::exchange(host_stamp_[place], host_stamps_) != host_stamps_;
  };
  while (!path_.empty() && hosts_.size() <= graph_.limits.kernels) {
    const std::uint32_t at = path_.back();
    path_.pop_back();
    for (const FusionGraph::Read& read : graph_.readers[at]) {
      if (!is_new(read.operation)) continue;
      const std::uint32_t group = forest_.find(read.operation);
      if (inlined_[read.operation] != 0) path_.push_back(read.operation);
      else if (is_new(graph_.size() + group)) hosts_.push_back(group);
    }
  }
  return hosts_;
}

/// Seconds that are saved when its readers compute an operation; negative when they may not.
double PriorityFusion::gain(std::uint32_t operation) {
  const FusionGraph::Node& node = graph_.nodes[operation];
  if (node.inlined != Refusal::none || !forest_.is_alone(operation)) return -1;
  const std::span<const std::uint32_t> hosts = hosts_of(operation);
  if (hosts.size() > graph_.limits.kernels) return -1;
  if (hosts.size() > 1 && node.kind == Loop::Kind::contraction) return -1;
  double saved = seconds_of_kernel(operation);
  for (const std::uint32_t host : hosts) {
    if (forest_.kernel(host).points == 0) return -1;
    saved += seconds_of_kernel(host) - seconds(host, operation);
  }
  const bool is_view = problem_.workload.operation(OperationId(operation)).operation_class == OperationClass::view;
  return is_view && saved >= 0 ? std::numeric_limits<double>::infinity() : saved;
}

/// Reckons what an operation saves now.
void PriorityFusion::consider(std::uint32_t operation) {
  if (inlined_[operation] != 0) return;
  const double saved = gain(operation);
  ++version_[operation];
  if (saved > 0) queue_.push({saved, operation, version_[operation]});
}

void PriorityFusion::inline_operation(std::uint32_t operation) {
  const std::span<const std::uint32_t> found = hosts_of(operation);
  std::vector<std::uint32_t> around(found.begin(), found.end());
  inlined_[operation] = 1;
  for (const std::uint32_t host : found) known_seconds_[host] = -1;
  for (const std::uint32_t host : found) {
    collect(host, kNobody);
    for (const OperationId member : cost_.operations())
      for (const FusionGraph::Read& read : graph_.producers[member.index()]) around.push_back(read.operation);
  }
  std::ranges::sort(around);
  around.erase(std::unique(around.begin(), around.end()), around.end());
  for (const std::uint32_t neighbor : around) consider(neighbor);
}

}  // namespace hone

#include "plan/fuse/priority_fusion.h"

#include <algorithm>
#include <limits>
#include <ranges>

namespace hone {

PriorityFusion::PriorityFusion(const Problem& problem, const FusionGraph& graph, const Plan& plan)
    : problem_(problem),
      graph_(graph),
      plan_(plan),
      timer_(problem.workload, problem.machine),
      inlined_(graph.size()),
      known_seconds_(graph.size(), -1),
      version_(graph.size()),
      stamp_(graph.size()),
      place_(graph.size()),
      host_stamp_(graph.size()) {}

std::vector<std::uint8_t> PriorityFusion::run() {
  for (std::uint32_t i = 0; i < graph_.size(); ++i) consider(i);
  while (!queue_.empty()) {
    const Candidate best = queue_.top();
    queue_.pop();
    if (inlined_[best.operation] == 0 && best.version == version_[best.operation]) inline_operation(best.operation);
  }
  return inlined_;
}

/// Gathers the operations of a kernel: those that end in `root`, and `extra` with all that it computes, if that is one.
void PriorityFusion::collect(std::uint32_t root, std::uint32_t extra) {
  ++stamps_;
  instances_.clear();
  const auto add = [&](std::uint32_t operation) {
    if (stamp_[operation] == stamps_) return;
    stamp_[operation] = stamps_;
    instances_.emplace_back(operation);
  };
  add(root);
  if (extra != kNobody) add(extra);
  for (std::size_t next = 0; next < instances_.size() && instances_.size() <= graph_.limits.operations; ++next)
    for (const FusionGraph::Read& read : graph_.producers[instances_[next].index()])
      if (inlined_[read.operation] != 0) add(read.operation);
  std::ranges::sort(instances_, {}, [this](OperationId operation) { return graph_.position[operation.index()]; });
  for (std::uint32_t i = 0; i < instances_.size(); ++i) place_[instances_[i].index()] = i;
}

/// Whether what was collected may be one kernel.
bool PriorityFusion::is_legal(std::uint32_t root) {
  if (instances_.size() > graph_.limits.operations) return false;
  aligned_.assign(instances_.size(), 1);
  JoinedKernel joined{.kernel = kernel_of(graph_.nodes[root])};
  for (std::size_t i = instances_.size(); i-- > 0;) {
    const std::uint32_t operation = instances_[i].index();
    if (operation == root) continue;
    Seat seat;
    for (const FusionGraph::Read& read : graph_.readers[operation]) {
      if (stamp_[read.operation] != stamps_) continue;
      ++seat.edges;
      seat.aligned &= aligned_[place_[read.operation]] != 0 && read.access != Access::other;
      seat.same &= read.access == Access::same;
      seat.spreads |= read.access == Access::row;
    }
    joined = with_producer(joined.kernel, graph_.nodes[operation], seat, graph_.limits);
    if (joined.refusal != Refusal::none) return false;
    aligned_[i] = seat.aligned ? 1 : 0;
  }
  return true;
}

/// Time of a kernel with an operation more; infinite if that may not be.
double PriorityFusion::seconds(std::uint32_t root, std::uint32_t extra) {
  collect(root, extra);
  if (extra != kNobody && !is_legal(root)) return std::numeric_limits<double>::infinity();
  const std::size_t kind = problem_.machine.device(plan_.device(OperationId(root))).kind;
  return timer_.seconds({.instances = instances_, .stored = problem_.workload.outputs(OperationId(root))}, kind);
}

double PriorityFusion::seconds_of_kernel(std::uint32_t root) {
  if (known_seconds_[root] < 0) known_seconds_[root] = seconds(root, kNobody);
  return known_seconds_[root];
}

/// The ends of all kernels that read an operation; too many are as good as one more than may be.
std::span<const std::uint32_t> PriorityFusion::hosts_of(std::uint32_t operation) {
  ++host_stamps_;
  hosts_.clear();
  path_.assign(1, operation);
  while (!path_.empty() && hosts_.size() <= graph_.limits.kernels) {
    const std::uint32_t at = path_.back();
    path_.pop_back();
    for (const FusionGraph::Read& read : graph_.readers[at]) {
      if (host_stamp_[read.operation] == host_stamps_) continue;
      host_stamp_[read.operation] = host_stamps_;
      (inlined_[read.operation] != 0 ? path_ : hosts_).push_back(read.operation);
    }
  }
  return hosts_;
}

/// Seconds that are saved when its readers compute an operation; negative when they may not.
double PriorityFusion::gain(std::uint32_t operation) {
  const FusionGraph::Node& node = graph_.nodes[operation];
  if (node.inlined != Refusal::none) return -1;
  const std::span<const std::uint32_t> hosts = hosts_of(operation);
  if (hosts.size() > graph_.limits.kernels) return -1;
  if (hosts.size() > 1 && node.kind == Loop::Kind::contraction) return -1;
  double saved = seconds_of_kernel(operation);
  for (const std::uint32_t host : hosts) {
    if (graph_.nodes[host].kind == Loop::Kind::none || node.colocate != graph_.nodes[host].colocate) return -1;
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
  const std::vector<std::uint32_t> hosts(found.begin(), found.end());
  inlined_[operation] = 1;
  for (const std::uint32_t host : hosts) known_seconds_[host] = -1;
  std::vector<std::uint32_t> around(hosts);
  for (const std::uint32_t host : hosts) {
    collect(host, kNobody);
    for (const OperationId member : instances_)
      for (const FusionGraph::Read& read : graph_.producers[member.index()]) around.push_back(read.operation);
  }
  std::ranges::sort(around);
  around.erase(std::unique(around.begin(), around.end()), around.end());
  for (const std::uint32_t neighbor : around) consider(neighbor);
}

}  // namespace hone

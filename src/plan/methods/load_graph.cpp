#include "plan/methods/load_graph.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "plan/problem/operation_time.h"

namespace hone {
namespace {

/// Seconds to move one byte, and anything at all, over the links of a machine on average.
Link mean_link(const Machine& machine) {
  Link mean;
  double seconds_per_byte = 0, pairs = 0;
  for (const LinkId route : machine.routes) {
    if (!route.valid()) continue;
    mean.latency_seconds += machine.link(route).latency_seconds;
    seconds_per_byte += 1 / machine.link(route).bytes_per_second;
    ++pairs;
  }
  if (pairs == 0) return {};
  mean.latency_seconds /= pairs;
  mean.bytes_per_second = pairs / seconds_per_byte;
  return mean;
}

/// Choices with an order between them, worked off from the front.
class Frontier {
 public:
  Frontier(const LoadGraph& graph, Rng& rng)
      : rng_(rng), after_(graph.size()), waiting_(graph.size()), taken_(graph.size()) {
    for (const auto& [before, after] : graph.arcs) {
      after_[before].push_back(after);
      ++waiting_[after];
    }
    for (std::uint32_t choice = 0; choice < graph.size(); ++choice)
      if (waiting_[choice] == 0) ready_.push_back(choice);
    shuffle(ready_);
  }

  std::uint32_t take(Next next) {
    // In a circle the first choice that is left goes ahead.
    while (taken_[left_] != 0) ++left_;
    while (begin_ < ready_.size() && taken_[pick(next)] != 0) drop();
    const std::uint32_t choice = begin_ < ready_.size() ? ready_[at_] : left_;
    if (begin_ < ready_.size()) drop();
    taken_[choice] = 1;
    shuffle(after_[choice]);
    for (const std::uint32_t later : after_[choice])
      if (--waiting_[later] == 0) ready_.push_back(later);
    if (choice == left_) ++left_;
    return choice;
  }

 private:
  std::uint32_t pick(Next next) {
    at_ = next == Next::deepest    ? ready_.size() - 1
          : next == Next::broadest ? begin_
                                   : begin_ + rng_.below(ready_.size() - begin_);
    return ready_[at_];
  }
  void drop() {
    if (at_ + 1 == ready_.size()) {
      ready_.pop_back();
    } else {
      std::swap(ready_[at_], ready_[begin_]);
      ++begin_;
    }
  }
  void shuffle(std::vector<std::uint32_t>& choices) {
    for (std::size_t i = choices.size(); i > 1; --i) std::swap(choices[i - 1], choices[rng_.below(i)]);
  }

  Rng& rng_;
  std::vector<std::vector<std::uint32_t>> after_;
  std::vector<std::uint32_t> waiting_;
  std::vector<char> taken_;
  std::vector<std::uint32_t> ready_;
  std::size_t begin_ = 0, at_ = 0;
  std::uint32_t left_ = 0;
};

}  // namespace

LoadGraph::LoadGraph(const Problem& the_problem)
    : problem(the_problem), choices(the_problem), devices(the_problem.machine.device_count()) {
  for (std::size_t i = 0; i < devices; ++i) {
    capacity_bytes.push_back(problem.machine.kind(DeviceId(i)).memory_bytes);
    is_host.push_back(problem.machine.kind(DeviceId(i)).is_host ? 1 : 0);
  }
  add_operations();
  add_buffers();
  add_arcs();
}

void LoadGraph::add_operations() {
  const OperationTimes times(problem.workload, problem.machine);
  seconds.resize(choices.count() * devices);
  bytes.resize(choices.count());
  for (std::size_t i = 0; i < problem.workload.operation_count(); ++i)
    for (std::size_t device = 0; device < devices; ++device) {
      const OperationTime& time = times.at(OperationId(i), problem.machine.devices[device].kind);
      const double alone = time.alone(problem.workload.operation(OperationId(i)).bytes);
      seconds[choices.choice_of(OperationId(i)) * devices + device] +=
          std::isnan(alone) ? std::numeric_limits<double>::infinity() : alone;
    }
}

void LoadGraph::add_buffers() {
  const std::vector<Link>& links = problem.machine.links;
  const bool alike = std::ranges::all_of(links, [&](const Link& link) {
    return link.latency_seconds == links.front().latency_seconds &&
           link.bytes_per_second == links.front().bytes_per_second;
  });
  const Link link = alike && !links.empty() ? links.front() : mean_link(problem.machine);
  std::vector<std::vector<std::uint32_t>> nets(size());
  std::vector<std::uint32_t> joined;
  for (std::size_t i = 0; i < problem.workload.buffer_count(); ++i) {
    const Buffer& buffer = problem.workload.buffer(BufferId(i));
    joined.clear();
    if (buffer.producer.valid()) joined.push_back(static_cast<std::uint32_t>(choices.choice_of(buffer.producer)));
    for (const OperationId reader : problem.workload.readers(BufferId(i)))
      joined.push_back(static_cast<std::uint32_t>(choices.choice_of(reader)));
    std::ranges::sort(joined);
    joined.erase(std::unique(joined.begin(), joined.end()), joined.end());
    const double held = buffer.alias_of.valid() ? 0 : buffer.bytes;
    is_exact &= !buffer.alias_of.valid() && (alike || !buffer.producer.valid() || buffer.transfer_seconds >= 0);
    if (joined.size() == 1) bytes[joined.front()] += held;
    const double moving = buffer.transfer_seconds >= 0 ? buffer.transfer_seconds : link.seconds(buffer.bytes);
    const double cost = buffer.producer.valid() ? moving : 0;  // weights and inputs lie wherever they are read
    if (joined.size() < 2 || (cost == 0 && held == 0)) continue;
    for (const std::uint32_t choice : joined) {
      nets[choice].push_back(static_cast<std::uint32_t>(net_count()));
      ends.add(choice);
    }
    ends.end_list();
    net_seconds.push_back(cost);
    net_bytes.push_back(held);
  }
  for (const std::vector<std::uint32_t>& list : nets) {
    for (const std::uint32_t net : list) nets_of.add(net);
    nets_of.end_list();
  }
}

void LoadGraph::add_arcs() {
  const Workload& workload = problem.workload;
  for (std::size_t i = 0; i < workload.buffer_count(); ++i) {
    const OperationId producer = workload.buffer(BufferId(i)).producer;
    if (!producer.valid()) continue;
    const bool backward = workload.operation(producer).backward;
    for (const OperationId reader : workload.readers(BufferId(i))) {
      if (workload.operation(reader).backward != backward) continue;
      auto before = static_cast<std::uint32_t>(choices.choice_of(producer));
      auto after = static_cast<std::uint32_t>(choices.choice_of(reader));
      if (backward) std::swap(before, after);
      if (before != after) arcs.emplace_back(before, after);
    }
  }
  std::ranges::sort(arcs);
  arcs.erase(std::unique(arcs.begin(), arcs.end()), arcs.end());
}

std::vector<std::uint32_t> LoadGraph::device_list(Hosts hosts) const {
  std::vector<std::uint32_t> list;
  bool has_host = false;
  for (std::uint32_t device = 0; device < devices; ++device) {
    const bool spare = hosts == Hosts::one && is_host[device] != 0 && std::exchange(has_host, true);
    if (!spare) list.push_back(device);
  }
  return list;
}

Plan LoadGraph::plan(const Plan& start, const std::vector<std::uint32_t>& device_of) const {
  Plan plan = by_operation(start, problem.workload);
  for (std::size_t i = 0; i < problem.workload.operation_count(); ++i)
    plan.device_of[i] = DeviceId(device_of[choices.choice_of(OperationId(i))]);
  return plan;
}

std::vector<std::uint32_t> LoadGraph::device_of(const Plan& plan) const {
  std::vector<std::uint32_t> device_of(size());
  for (std::size_t i = 0; i < problem.workload.operation_count(); ++i)
    device_of[choices.choice_of(OperationId(i))] = plan.device(OperationId(i)).index();
  return device_of;
}

std::vector<std::uint32_t> order_choices(const LoadGraph& graph, Next next, Rng& rng) {
  Frontier frontier(graph, rng);
  std::vector<std::uint32_t> order;
  while (order.size() < graph.size()) order.push_back(frontier.take(next));
  return order;
}

}  // namespace hone

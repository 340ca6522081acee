#include "zoo/synthetic.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "base/distinct.h"
#include "base/error.h"

namespace hone::zoo {
namespace {

constexpr double kEdgeProbability = 0.05;   // Erdos-Renyi
constexpr std::size_t kAttachments = 2;     // Barabasi-Albert: edges a new node brings
constexpr std::size_t kRingNeighbours = 4;  // Watts-Strogatz: on one side
constexpr double kRewireProbability = 0.3;  // Watts-Strogatz
constexpr std::size_t kCommunities = 4;     // stochastic block
constexpr double kInnerProbability = 0.3;
constexpr double kOuterProbability = 0.001;
constexpr std::uint64_t kMaxParents = 3;  // layered
constexpr double kMeanBytes = 50, kBytesDeviation = 10, kCostNoise = 0.1;

/// Predecessors of every node; all smaller than the node itself, which makes the graph acyclic.
using Parents = std::vector<std::set<std::size_t>>;

void connect(Parents& parents, std::size_t a, std::size_t b) {
  if (a != b) parents[std::max(a, b)].insert(std::min(a, b));
}

/// Calls `hit(i)` for each i below `count` with the given probability, in time proportional to the hits.
template <class Hit>
void sample(std::size_t count, double probability, Rng& rng, Hit hit) {
  const double log_miss = std::log1p(-probability);
  for (double at = std::floor(std::log1p(-rng.uniform()) / log_miss); at < static_cast<double>(count);
       at += 1 + std::floor(std::log1p(-rng.uniform()) / log_miss))
    hit(static_cast<std::size_t>(at));
}

Parents erdos_renyi(std::size_t nodes, Rng& rng) {
  Parents parents(nodes);
  for (std::size_t i = 0; i < nodes; ++i)
    sample(i, kEdgeProbability, rng, [&](std::size_t j) { parents[i].insert(j); });
  return parents;
}

Parents barabasi_albert(std::size_t nodes, Rng& rng) {
  Parents parents(nodes);
  std::vector<std::size_t> ends;  // a node once for each of its edges, so that drawing one prefers the well connected
  for (std::size_t i = 1; i < nodes; ++i) {
    while (parents[i].size() < std::min(i, kAttachments))
      parents[i].insert(ends.empty() || rng.below(8) == 0 ? rng.below(i) : ends[rng.below(ends.size())]);
    for (const std::size_t parent : parents[i]) {
      ends.push_back(parent);
      ends.push_back(i);
    }
  }
  return parents;
}

Parents watts_strogatz(std::size_t nodes, Rng& rng) {
  Parents parents(nodes);
  for (std::size_t i = 0; i < nodes; ++i)
    for (std::size_t step = 1; step <= std::min(kRingNeighbours / 2, nodes - 1); ++step)
      connect(parents, i, rng.uniform() < kRewireProbability ? rng.below(nodes) : (i + step) % nodes);
  return parents;
}

Parents stochastic_block(std::size_t nodes, Rng& rng) {
  Parents parents(nodes);
  std::vector<std::vector<std::size_t>> communities(kCommunities);
  for (std::size_t i = 0; i < nodes; ++i) {
    const std::size_t own = rng.below(kCommunities);
    for (std::size_t other = 0; other < kCommunities; ++other)
      sample(communities[other].size(), other == own ? kInnerProbability : kOuterProbability, rng,
             [&](std::size_t k) { parents[i].insert(communities[other][k]); });
    communities[own].push_back(i);
  }
  return parents;
}

/// Layers of about the square root of the nodes; parents come from the layer before, now and then from the one before
/// that.
Parents layered(std::size_t nodes, Rng& rng) {
  Parents parents(nodes);
  const auto width = std::max<std::size_t>(1, static_cast<std::size_t>(std::sqrt(static_cast<double>(nodes))));
  for (std::size_t i = width; i < nodes; ++i) {
    const std::size_t layer = i / width;
    for (std::uint64_t count = 1 + rng.below(kMaxParents); count > 0; --count) {
      const std::size_t back = layer > 1 && rng.below(8) == 0 ? 2 : 1;
      parents[i].insert((layer - back) * width + rng.below(width));
    }
  }
  return parents;
}

Parents wire(GraphFamily family, std::size_t nodes, Rng& rng) {
  switch (family) {
    case GraphFamily::erdos_renyi: return erdos_renyi(nodes, rng);
    case GraphFamily::barabasi_albert: return barabasi_albert(nodes, rng);
    case GraphFamily::watts_strogatz: return watts_strogatz(nodes, rng);
    case GraphFamily::stochastic_block: return stochastic_block(nodes, rng);
    case GraphFamily::layered: return layered(nodes, rng);
  }
  HONE_CHECK(false, "no such family");
}

double at_least_one(double value) { return std::max(1.0, std::round(value)); }

/// Operations next to an operation: those it reads from or those that read from it, each once.
std::vector<std::vector<std::uint32_t>> predecessors_of(const Workload& workload) {
  std::vector<std::vector<std::uint32_t>> predecessors(workload.operation_count());
  for (std::size_t i = 0; i < workload.operation_count(); ++i) {
    for (const BufferId input : workload.inputs(OperationId(i)))
      if (const OperationId producer = workload.buffer(input).producer; producer.valid())
        predecessors[i].push_back(producer.index());
    predecessors[i] = distinct(std::move(predecessors[i]));
  }
  return predecessors;
}

std::uint64_t hash_sorted(std::vector<std::uint64_t> parts, std::uint64_t seed) {
  std::ranges::sort(parts);
  std::uint64_t hash = mix(seed, parts.size());
  for (const std::uint64_t part : parts) hash = mix(hash, part);
  return hash;
}

/// For every operation, a hash of its own label and of all operations it can be reached from, nearest first.
std::vector<std::uint64_t> sweep(std::span<const OperationId> order,
                                 const std::vector<std::vector<std::uint32_t>>& before,
                                 const std::vector<std::uint64_t>& labels) {
  std::vector<std::uint64_t> hashes(labels.size());
  std::vector<std::uint64_t> parts;
  for (const OperationId id : order) {
    parts.clear();
    for (const std::uint32_t neighbour : before[id.index()]) parts.push_back(hashes[neighbour]);
    hashes[id.index()] = hash_sorted(parts, labels[id.index()]);
  }
  return hashes;
}

}  // namespace

std::string_view name_of(GraphFamily family) {
  static constexpr std::string_view kNames[kGraphFamilies] = {"er", "ba", "ws", "sbm", "layered"};
  return kNames[static_cast<std::size_t>(family)];
}

Workload synthetic_graph(GraphFamily family, std::size_t nodes, Rng& rng) {
  const Parents parents = wire(family, nodes, rng);
  std::vector<bool> is_read(nodes);
  for (const std::set<std::size_t>& before : parents)
    for (const std::size_t parent : before) is_read[parent] = true;
  WorkloadBuilder builder(fmt::format("{}-{}", name_of(family), nodes));
  builder.set_device_kinds({"device"});
  std::vector<double> bytes;
  for (std::size_t i = 0; i < nodes; ++i) {
    bytes.push_back(at_least_one(kMeanBytes + kBytesDeviation * rng.normal()));
    Buffer buffer;
    buffer.name = fmt::format("node{}", i);
    buffer.bytes = bytes.back();
    buffer.is_output = !is_read[i];
    builder.add_buffer(std::move(buffer));
  }
  for (std::size_t i = 0; i < nodes; ++i) {
    double cost = bytes[i];
    std::vector<BufferId> inputs;
    for (const std::size_t parent : parents[i]) {
      cost += bytes[parent];
      inputs.emplace_back(parent);
    }
    Operation operation;
    operation.name = fmt::format("node{}", i);
    operation.op = "node";
    operation.seconds = {1e-6 * at_least_one(cost * (1 + kCostNoise * rng.normal()))};
    const BufferId output(i);
    builder.add_operation(std::move(operation), inputs, std::span(&output, 1));
  }
  return std::move(builder).build();
}

std::uint64_t topology_hash(const Workload& workload) {
  const auto predecessors = predecessors_of(workload);
  std::vector<std::vector<std::uint32_t>> successors(predecessors.size());
  for (std::uint32_t i = 0; i < predecessors.size(); ++i)
    for (const std::uint32_t before : predecessors[i]) successors[before].push_back(i);
  const auto order = workload.topological_order();
  const std::vector<OperationId> backwards(order.rbegin(), order.rend());
  // What lies above and below each operation, then above and below operations so labelled.
  std::vector<std::uint64_t> labels(predecessors.size(), 1);
  for (int round = 0; round < 2; ++round) {
    const auto above = sweep(order, predecessors, labels);
    const auto below = sweep(backwards, successors, labels);
    for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = mix(above[i], below[i]);
  }
  return hash_sorted(std::move(labels), 2);
}

Workload with_noise(const Workload& workload, double spread, Rng& rng) {
  const auto factor = [&] { return std::max(0.1, 1 + spread * rng.normal()); };
  WorkloadBuilder builder(workload.name);
  builder.set_device_kinds(workload.device_kinds);
  builder.set_given_order(workload.given_order);
  std::vector<double> factors;
  for (std::size_t i = 0; i < workload.buffer_count(); ++i) factors.push_back(factor());
  for (std::size_t i = 0; i < workload.buffer_count(); ++i) {
    BufferId base(i);
    while (workload.buffer(base).alias_of.valid()) base = workload.buffer(base).alias_of;
    Buffer buffer = workload.buffer(BufferId(i));
    buffer.producer = OperationId();
    buffer.bytes *= factors[base.index()];
    if (buffer.transfer_seconds > 0) buffer.transfer_seconds *= factors[base.index()];
    builder.add_buffer(std::move(buffer));
  }
  for (std::size_t i = 0; i < workload.operation_count(); ++i) {
    Operation operation = workload.operation(OperationId(i));
    const double slower = factor();
    operation.flops *= slower;
    operation.bytes *= slower;
    for (double& seconds : operation.seconds) seconds *= slower;
    builder.add_operation(std::move(operation), workload.inputs(OperationId(i)), workload.outputs(OperationId(i)));
  }
  return std::move(builder).build();
}

}  // namespace hone::zoo

#include <metis.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "plan/methods/load_graph.h"
#include "plan/search/optimizer.h"

namespace hone {
namespace {

struct MetisParameters {
  double imbalance = 0.05;

  Parameters list() {
    return Parameters().add("imbalance", &imbalance, {0.001, 10}, "how much more than its share a device may get");
  }
};

/// Weights for METIS, which counts in integers: shares of their sum in millionths.
std::vector<idx_t> as_integers(const std::vector<double>& weights) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<idx_t> integers;
  for (const double weight : weights)
    integers.push_back(sum > 0 ? static_cast<idx_t>(std::lround(1e6 * weight / sum)) : 0);
  return integers;
}

/// The nets of a load graph as edges, each net as a star around its first end: a clique would make wide nets dear.
struct Adjacency {
  explicit Adjacency(const LoadGraph& graph) {
    std::vector<std::vector<std::pair<idx_t, double>>> neighbours(graph.size());
    for (std::size_t net = 0; net < graph.net_count(); ++net) {
      const std::span<const std::uint32_t> ends = graph.ends[net];
      for (const std::uint32_t end : ends.subspan(1)) {
        neighbours[ends.front()].emplace_back(static_cast<idx_t>(end), graph.net_seconds[net]);
        neighbours[end].emplace_back(static_cast<idx_t>(ends.front()), graph.net_seconds[net]);
      }
    }
    std::vector<double> seconds;
    for (auto& list : neighbours) {
      std::ranges::sort(list);
      for (const auto& [neighbour, weight] : list) {
        const bool repeated = targets.size() > static_cast<std::size_t>(begin.back()) && targets.back() == neighbour;
        if (repeated) {
          seconds.back() += weight;
        } else {
          targets.push_back(neighbour);
          seconds.push_back(weight);
        }
      }
      begin.push_back(static_cast<idx_t>(targets.size()));
    }
    weights = as_integers(seconds);
    for (idx_t& weight : weights) ++weight;  // what moves for nothing is better not moved either
  }

  std::vector<idx_t> begin = {0}, targets, weights;
};

/// Partitioning by METIS (Karypis and Kumar, 1998) with the graph walked depth first: the "GP + DFS" that REGAL is
/// measured against. Operation and bytes are balanced over the devices, faster ones getting more work; what is cut is
/// the time of transfers.
class MetisPartition final : public Optimizer {
 public:
  explicit MetisPartition(const MetisParameters& parameters) : parameters_(parameters) {}

  void run(Search& search) override {
    const LoadGraph graph(search.problem());
    if (graph.devices < 2 || graph.size() < 2) return;
    Adjacency adjacency(graph);
    const Plan ordered = depth_first(graph, search);
    for (const auto method : {METIS_PartGraphKway, METIS_PartGraphRecursive}) {
      const std::optional<std::vector<std::uint32_t>> devices = cut(graph, adjacency, method);
      if (devices) search.evaluate(search.task().encode(graph.plan(ordered, *devices)));
    }
  }

  Parameters parameters() override { return parameters_.list(); }

 private:
  using Method = decltype(&METIS_PartGraphKway);

  /// Nothing when METIS has no answer.
  std::optional<std::vector<std::uint32_t>> cut(const LoadGraph& graph, Adjacency& adjacency, Method method) const {
    std::vector<double> operation(graph.size());
    for (std::size_t i = 0; i < graph.size(); ++i) operation[i] = least_seconds(graph, i);
    Balance balance;
    balance.add(operation, operation_shares(graph));
    balance.add(graph.bytes, byte_shares(graph));
    if (balance.weights.empty()) return std::nullopt;
    auto constraints = static_cast<idx_t>(balance.weights.size());
    std::vector<idx_t> weights = interleave<idx_t>(balance.weights), options(METIS_NOPTIONS), part(graph.size());
    std::vector<real_t> shares = interleave<real_t>(balance.shares);
    std::vector<real_t> imbalance(balance.weights.size(), static_cast<real_t>(1 + parameters_.imbalance));
    METIS_SetDefaultOptions(options.data());
    options[METIS_OPTION_SEED] = 1;
    auto nodes = static_cast<idx_t>(graph.size()), parts = static_cast<idx_t>(graph.devices);
    idx_t cut_weight = 0;
    const int status = method(&nodes, &constraints, adjacency.begin.data(), adjacency.targets.data(), weights.data(),
                              nullptr, adjacency.weights.data(), &parts, shares.data(), imbalance.data(),
                              options.data(), &cut_weight, part.data());
    if (status != METIS_OK) return std::nullopt;
    return on_able_devices(graph, part);
  }

  static double least_seconds(const LoadGraph& graph, std::size_t choice) {
    double least = graph.seconds_on(choice, graph.choices.devices(choice).front().index());
    for (const DeviceId device : graph.choices.devices(choice))
      least = std::min(least, graph.seconds_on(choice, device.index()));
    return least;
  }

  /// Of operation, by device: the faster, the more.
  static std::vector<double> operation_shares(const LoadGraph& graph) {
    std::vector<double> shares;
    for (std::size_t device = 0; device < graph.devices; ++device) {
      double seconds = 0;
      for (std::size_t choice = 0; choice < graph.size(); ++choice)
        if (const double one = graph.seconds_on(choice, device); std::isfinite(one)) seconds += one;
      shares.push_back(seconds > 0 ? 1 / seconds : 1);
    }
    return shares;
  }

  /// Of bytes, by device: the larger, the more, but nobody more than all there are.
  static std::vector<double> byte_shares(const LoadGraph& graph) {
    const double total = std::accumulate(graph.bytes.begin(), graph.bytes.end(), 0.0);
    std::vector<double> shares;
    for (const double capacity : graph.capacity_bytes) shares.push_back(std::min(capacity, total));
    return shares;
  }

  /// What METIS balances: for each constraint a weight a choice and a share a device.
  struct Balance {
    void add(const std::vector<double>& weight, std::vector<double> share) {
      const double sum = std::accumulate(share.begin(), share.end(), 0.0);
      const bool counts = sum > 0 && std::ranges::any_of(weight, [](double one) { return one > 0; });
      if (!counts) return;
      weights.push_back(as_integers(weight));
      for (double& one : share) one /= sum;
      shares.push_back(std::move(share));
    }
    std::vector<std::vector<idx_t>> weights;
    std::vector<std::vector<double>> shares;
  };

  /// Lists of numbers as METIS wants them: all of the first element, then all of the second.
  template <class To, class From>
  static std::vector<To> interleave(const std::vector<std::vector<From>>& lists) {
    std::vector<To> all;
    for (std::size_t i = 0; i < lists.front().size(); ++i)
      for (const std::vector<From>& list : lists) all.push_back(static_cast<To>(list[i]));
    return all;
  }

  static std::vector<std::uint32_t> on_able_devices(const LoadGraph& graph, const std::vector<idx_t>& part) {
    std::vector<std::uint32_t> device_of;
    for (std::size_t choice = 0; choice < graph.size(); ++choice) {
      const auto device = static_cast<std::uint32_t>(part[choice]);
      const bool able = std::isfinite(graph.seconds_on(choice, device));
      device_of.push_back(able ? device : graph.choices.devices(choice).front().index());
    }
    return device_of;
  }

  static Plan depth_first(const LoadGraph& graph, const Search& search) {
    Plan plan = search.start();
    Rng rng = search.rng();
    const std::vector<std::uint32_t> order = order_choices(graph, Next::deepest, rng);
    std::vector<float> place(graph.size());
    for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = static_cast<float>(i);
    const Workload& workload = search.problem().workload;
    plan.priority.resize(workload.operation_count());
    for (std::size_t i = 0; i < workload.operation_count(); ++i) {
      const float rank = place[graph.choices.choice_of(OperationId(i))];
      const auto operations = static_cast<float>(graph.size());
      plan.priority[i] =
          workload.operation(OperationId(i)).backward ? rank - 2 * operations : -rank;  // the backward pass goes back
    }
    return plan;
  }

  MetisParameters parameters_;
};

const OptimizerKind metis_kind = OptimizerKind::with_parameters<MetisPartition, MetisParameters>(
    "metis", "graph partitioning by work and bytes, then depth first (GP+DFS)");

}  // namespace
}  // namespace hone

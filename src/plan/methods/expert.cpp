#include <algorithm>
#include <cmath>
#include <numeric>

#include "plan/methods/load_graph.h"
#include "plan/search/optimizer.h"

namespace hone {
namespace {

/// What an engineer would do by hand, each rule tried once:
///   blocks   the layers in order, in as many consecutive blocks as there are accelerators, of equal operations each
///   stages   the same, of equal bytes each, so that the model fits if it can
///   slices   operations by their distance from the inputs, in slices of equal operations: what could run at once is
///   together
/// Hosts are left out where there are accelerators; what an accelerator cannot run goes to the first device that can.
/// A block ends early when its device is full.
class Expert final : public Optimizer {
 public:
  void run(Search& search) override {
    if (search.problem().workload.operation_count() == 0) return;
    const LoadGraph graph(search.problem());
    const std::vector<std::uint32_t> devices = accelerators(graph);
    Rng rng = search.rng();
    const std::vector<std::uint32_t> layers = order_choices(graph, Next::deepest, rng);
    const std::vector<double> seconds = seconds_on(graph, devices.front());
    for (const std::vector<std::uint32_t>& placed :
         {fill(graph, devices, layers, seconds), fill(graph, devices, layers, graph.bytes),
          fill(graph, devices, by_depth(graph, layers), seconds)})
      search.evaluate(search.task().encode(graph.plan(search.best_plan(), placed)));
  }

 private:
  static std::vector<std::uint32_t> accelerators(const LoadGraph& graph) {
    std::vector<std::uint32_t> devices = graph.device_list(LoadGraph::Hosts::all);
    std::vector<std::uint32_t> chosen;
    std::ranges::copy_if(devices, std::back_inserter(chosen), [&](std::uint32_t d) { return graph.is_host[d] == 0; });
    return chosen.empty() ? devices : chosen;
  }

  static std::vector<double> seconds_on(const LoadGraph& graph, std::uint32_t device) {
    std::vector<double> seconds;
    for (std::size_t choice = 0; choice < graph.size(); ++choice) {
      const double one = graph.seconds_on(choice, device);
      seconds.push_back(std::isfinite(one) ? one : 0);
    }
    return seconds;
  }

  /// By the most arcs on a way to a choice, equal ones in the order given.
  static std::vector<std::uint32_t> by_depth(const LoadGraph& graph, std::vector<std::uint32_t> order) {
    std::vector<std::uint32_t> place(graph.size()), depth(graph.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> arcs = graph.arcs;
    std::ranges::sort(arcs, {}, [&](const auto& arc) { return place[arc.first]; });
    for (const auto& [before, after] : arcs)
      if (place[before] < place[after]) depth[after] = std::max(depth[after], depth[before] + 1);
    std::ranges::stable_sort(order, {}, [&](std::uint32_t choice) { return depth[choice]; });
    return order;
  }

  /// Gives consecutive choices to one device after another, each its share of the weight while it has room.
  static std::vector<std::uint32_t> fill(const LoadGraph& graph, const std::vector<std::uint32_t>& devices,
                                         const std::vector<std::uint32_t>& order, const std::vector<double>& weight) {
    const double total = std::accumulate(weight.begin(), weight.end(), 0.0);
    std::vector<std::uint32_t> device_of(graph.size());
    double given = 0, held = 0;
    std::size_t at = 0;
    for (const std::uint32_t choice : order) {
      const double share = total * static_cast<double>(at + 1) / static_cast<double>(devices.size());
      const bool full = held > 0 && held + graph.bytes[choice] > graph.capacity_bytes[devices[at]];
      if (at + 1 < devices.size() && (full || given + weight[choice] / 2 > share)) {
        ++at;
        held = 0;
      }
      given += weight[choice];
      held += graph.bytes[choice];
      const bool able = std::isfinite(graph.seconds_on(choice, devices[at]));
      device_of[choice] = able ? devices[at] : graph.choices.devices(choice).front().index();
    }
    return device_of;
  }
};

const OptimizerKind expert_kind("expert", "rules of an engineer: blocks of layers, stages by memory, slices by depth",
                                [](std::string_view parameters) {
                                  Parameters().parse(parameters);
                                  return std::make_unique<Expert>();
                                });

}  // namespace
}  // namespace hone

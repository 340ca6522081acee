#include "learn/policy/features.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace hone {
namespace {

template <class Value>
double mean_of(std::size_t count, Value value) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += value(i);
  return std::max(sum / static_cast<double>(std::max<std::size_t>(1, count)), 1e-300);
}

/// Seconds that a mean result takes from the first device to the last, relative to the time of a mean operation.
double transfer_share(const GraphView& graph, double mean_bytes, double mean_seconds) {
  const Machine& machine = graph.problem().machine;
  if (machine.device_count() < 2) return 0;
  const LinkId route = machine.route(DeviceId(0), DeviceId(machine.device_count() - 1));
  return route.valid() ? machine.link(route).seconds(mean_bytes) / mean_seconds : 0;
}

/// Bytes that go along an edge, how many others read what its source makes, and for how long of the reference order
/// they are held at least.
std::vector<float> edge_rows_of(const GraphView& graph, std::span<const float> due, double mean_bytes) {
  const std::span<const double> bytes = graph.edge_bytes();
  const double largest = std::max(1e-300, bytes.empty() ? 0 : *std::ranges::max_element(bytes));
  std::vector<float> rows;
  rows.reserve(bytes.size() * kEdgeFeatures);
  for (std::size_t node = 0, edge = 0; node < graph.operations(); ++node)
    for (const std::uint32_t source : graph.before(node)) {
      const double values[kEdgeFeatures] = {std::log1p(bytes[edge] / mean_bytes), bytes[edge] / largest,
                                            std::log1p(static_cast<double>(graph.after(source).size())),
                                            due[node] - due[source]};
      for (const double value : values) rows.push_back(static_cast<float>(std::isfinite(value) ? value : 0));
      ++edge;
    }
  return rows;
}

}  // namespace

Features features_of(const GraphView& graph, std::span<const float> due) {
  const std::size_t operations = graph.operations();
  const double bytes = mean_of(operations, [&](std::size_t i) { return graph.made_bytes(i); });
  const double seconds = mean_of(operations, [&](std::size_t i) { return graph.least_seconds(i); });
  const double path = std::max(graph.critical_path(), 1e-300);
  const double transfer = std::log1p(transfer_share(graph, bytes, seconds));
  double largest = 1e-300;
  for (std::size_t i = 0; i < operations; ++i) largest = std::max(largest, graph.made_bytes(i));
  Features features{.operations = operations};
  features.rows.reserve(operations * kFeatures);
  for (std::size_t i = 0; i < operations; ++i) {
    const auto fan_in = static_cast<double>(graph.before(i).size());
    const auto fan_out = static_cast<double>(graph.after(i).size());
    const double head = graph.head(i) / path, tail = graph.tail(i) / path;
    double values[kFeatures] = {std::log1p(graph.made_bytes(i) / bytes),
                                std::log1p(graph.read_bytes(i) / bytes),
                                std::log1p(graph.resident_bytes(i) / bytes),
                                std::log1p(graph.least_seconds(i) / seconds),
                                std::log1p(fan_in),
                                std::log1p(fan_out),
                                head,
                                tail,
                                1 - head - tail,
                                due[i],
                                due[i] - head,
                                graph.made_bytes(i) / largest,
                                fan_in == 0 ? 1.0 : 0.0,
                                fan_out == 0 ? 1.0 : 0.0,
                                1 / static_cast<double>(graph.devices()),
                                transfer};
    values[16 + static_cast<std::size_t>(graph.problem().workload.operation(OperationId(i)).operation_class)] = 1;
    static_assert(16 + kOperationClasses == kFeatures);
    for (const double value : values) features.rows.push_back(static_cast<float>(std::isfinite(value) ? value : 0));
  }
  features.edge_rows = edge_rows_of(graph, due, bytes);
  return features;
}

}  // namespace hone

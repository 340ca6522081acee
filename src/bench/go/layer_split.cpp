#include "bench/go/layer_split.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "base/error.h"

namespace hone {
namespace {

using LayerKey = std::vector<std::uint32_t>;

std::optional<std::uint32_t> number_in_scope(std::string_view scope, std::string_view word) {
  if (const std::size_t equals = word.find('='); equals != std::string_view::npos) {
    if (scope != word.substr(0, equals)) return std::nullopt;
    return number_in_scope(word.substr(equals + 1), "");
  }
  if (!scope.starts_with(word)) return std::nullopt;
  scope.remove_prefix(word.size());
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(scope.data(), scope.data() + scope.size(), number);
  if (error != std::errc() || end != scope.data() + scope.size()) return std::nullopt;
  return number;
}

/// The numbers of the scopes that begin with the words; empty when it is in none.
LayerKey layer_key(std::string_view name, const std::vector<std::string>& words) {
  LayerKey key;
  while (!name.empty()) {
    const std::size_t end = std::min(name.find('/'), name.size());
    for (const std::string& word : words)
      if (const auto number = number_in_scope(name.substr(0, end), word)) key.push_back(*number);
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return key;
}

constexpr std::uint32_t kNoLayer = ~0U;

/// Those without a layer get that of the last they read, then of the first that reads them.
void spread_layers(const Workload& workload, std::vector<std::uint32_t>& layer_of) {
  const std::span<const OperationId> order = workload.topological_order();
  for (const OperationId operation : order) {
    if (layer_of[operation.index()] != kNoLayer) continue;
    for (const BufferId input : workload.inputs(operation)) {
      const OperationId producer = workload.buffer(input).producer;
      if (!producer.valid() || layer_of[producer.index()] == kNoLayer) continue;
      std::uint32_t& layer = layer_of[operation.index()];
      layer = layer == kNoLayer ? layer_of[producer.index()] : std::max(layer, layer_of[producer.index()]);
    }
  }
  for (auto operation = order.rbegin(); operation != order.rend(); ++operation) {
    std::uint32_t& layer = layer_of[operation->index()];
    if (layer != kNoLayer) continue;
    for (const BufferId output : workload.outputs(*operation))
      for (const OperationId reader : workload.readers(output)) layer = std::min(layer, layer_of[reader.index()]);
    if (layer == kNoLayer) layer = 0;
  }
}

Plan plan_by_layer(const Problem& problem, const std::vector<std::uint32_t>& layer_of,
                   const std::vector<std::uint32_t>& device_of_layer) {
  Plan plan = undecided_plan(problem);
  const DeviceChoices choices(problem);
  for (std::size_t i = 0; i < layer_of.size(); ++i) {
    const std::vector<DeviceId>& able = choices.devices(choices.choice_of(OperationId(i)));
    const DeviceId wanted(device_of_layer[layer_of[i]]);
    plan.device_of[i] = std::ranges::binary_search(able, wanted) ? wanted : able.front();
  }
  return plan;
}

}  // namespace

std::vector<std::uint32_t> layers_of(const Workload& workload, const std::vector<std::string>& words) {
  std::vector<LayerKey> keys;
  std::map<LayerKey, std::uint32_t> places;
  for (std::size_t i = 0; i < workload.operation_count(); ++i) {
    keys.push_back(layer_key(workload.operation(OperationId(i)).name, words));
    if (!keys.back().empty()) places.emplace(keys.back(), 0);
  }
  std::uint32_t next = 0;
  for (auto& [key, place] : places) place = next++;
  std::vector<std::uint32_t> layer_of;
  for (const LayerKey& key : keys) layer_of.push_back(key.empty() ? kNoLayer : places.at(key));
  spread_layers(workload, layer_of);
  return layer_of;
}

std::vector<Plan> layer_splits(const Problem& problem, const std::vector<std::uint32_t>& layer_of) {
  if (layer_of.empty()) return {};
  const std::size_t layers = *std::ranges::max_element(layer_of) + 1, devices = problem.machine.device_count();
  const OperationTimes times(problem.workload, problem.machine);
  std::vector<double> seconds(layers);
  double total = 0;
  for (std::size_t i = 0; i < layer_of.size(); ++i) {
    const double one = times.at(OperationId(i), 0).alone(problem.workload.operation(OperationId(i)).bytes);
    seconds[layer_of[i]] += one;
    total += one;
  }
  std::vector<std::uint32_t> by_count, by_seconds;
  double before = 0;
  for (std::size_t layer = 0; layer < layers; ++layer) {
    by_count.push_back(static_cast<std::uint32_t>(layer * devices / layers));
    const double middle = total > 0 ? (before + seconds[layer] / 2) / total : 0;
    by_seconds.push_back(std::min(static_cast<std::uint32_t>(middle * static_cast<double>(devices)),
                                  static_cast<std::uint32_t>(devices - 1)));
    before += seconds[layer];
  }
  return {plan_by_layer(problem, layer_of, by_count), plan_by_layer(problem, layer_of, by_seconds)};
}

}  // namespace hone

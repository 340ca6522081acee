#include "learn/policy/gene_by_gene.h"

#include <algorithm>
#include <numeric>

namespace hone {
namespace {

void set(OptionFeatures& features, GeneFeature feature, double value) {
  features[static_cast<std::size_t>(feature)] = static_cast<float>(value);
}

/// The same difference counts the more the larger it is, so that weights say how widely places are spread.
double squared_distance(double place, double other) {
  constexpr double kScale = 8;
  return kScale * (place - other) * kScale * (place - other);
}

/// Devices of one half look the same, so that what was learned on two devices shuns none of more.
double half_of(std::size_t device, std::size_t devices) {
  if (2 * device + 1 == devices) return 0;
  return 2 * device + 1 < devices ? -1 : 1;
}

}  // namespace

GeneByGene::GeneByGene(const GraphView& graph) : graph_(graph), first_of_(graph.choices().count()) {
  for (std::size_t operation = graph.operations(); operation-- > 0;)
    first_of_[graph.choices().choice_of(OperationId(operation))] = static_cast<std::uint32_t>(operation);
}

void GeneByGene::look_at_devices(std::uint32_t operation, const Incumbent& incumbent) {
  options_.clear();
  for (const DeviceId device : graph_.choices().devices(graph_.choices().choice_of(OperationId(operation)))) {
    OptionFeatures features{};
    set(features, GeneFeature::device, half_of(device.index(), graph_.devices()));
    set(features, GeneFeature::duration, slowness(graph_, operation, device.index()));
    if (!incumbent.device_of.empty())
      set(features, GeneFeature::same_device, incumbent.device_of[operation] == device.index() ? 1 : 0);
    options_.push_back(features);
  }
}

void GeneByGene::look_at_places(std::uint32_t operation, const Incumbent& incumbent) {
  options_.assign(kPlaces, {});
  for (std::size_t i = 0; i < kPlaces; ++i) {
    const double place = (static_cast<double>(i) + 0.5) / kPlaces;
    set(options_[i], GeneFeature::late, 2 * place - 1);
    if (!incumbent.due.empty()) set(options_[i], GeneFeature::due, squared_distance(place, incumbent.due[operation]));
    if (!incumbent.position.empty())
      set(options_[i], GeneFeature::position, squared_distance(place, incumbent.position[operation]));
  }
}

std::size_t GeneByGene::decide(std::uint32_t operation, const LogitWeights& weights, SoftmaxDraw draw,
                               Trace* trace) const {
  for (std::size_t i = 0; i < options_.size(); ++i) draw.offer(i, weights.of(operation), options_[i]);
  if (trace == nullptr) return draw.chosen();
  trace->decisions.push_back({.first = static_cast<std::uint32_t>(trace->features.size()),
                              .count = static_cast<std::uint32_t>(options_.size()),
                              .chosen = static_cast<std::uint32_t>(draw.chosen())});
  trace->features.insert(trace->features.end(), options_.begin(), options_.end());
  trace->operations.insert(trace->operations.end(), options_.size(), operation);
  return draw.chosen();
}

const Constructed& GeneByGene::build(const LogitWeights& weights, const Incumbent& incumbent, double temperature,
                                     Rng& rng, Trace* trace) {
  const auto operations = static_cast<std::uint32_t>(graph_.operations());
  std::vector<std::uint32_t> device_of(first_of_.size());
  for (std::size_t choice = 0; choice < first_of_.size(); ++choice) {
    look_at_devices(first_of_[choice], incumbent);
    const std::size_t chosen = decide(first_of_[choice], weights, SoftmaxDraw(temperature, rng), trace);
    device_of[choice] = graph_.choices().devices(choice)[chosen].index();
  }
  made_.device_of.resize(operations);
  place_.resize(operations);
  for (std::uint32_t operation = 0; operation < operations; ++operation) {
    made_.device_of[operation] = device_of[graph_.choices().choice_of(OperationId(operation))];
    look_at_places(operation, incumbent);
    place_[operation] = decide(operation, weights, SoftmaxDraw(temperature, rng), trace);
  }
  // At the same place the reference order counts.
  const std::vector<float>& reference = incumbent.position.empty() ? incumbent.due : incumbent.position;
  made_.order.resize(operations);
  std::iota(made_.order.begin(), made_.order.end(), 0U);
  std::ranges::stable_sort(made_.order, std::less(), [&](std::uint32_t operation) {
    return std::pair(place_[operation], reference.empty() ? 0.0F : reference[operation]);
  });
  return made_;
}

}  // namespace hone

#include "graph/expand/expansion.h"
#include "graph/ops/axes.h"

// Normalisations that no loop describes by itself.

namespace hone {
namespace {

struct BatchMoments {
  ValueId mean, centred, variance;  // the axes that are folded stay with length 1
};

BatchMoments moments_along(Expansion& expansion, ValueId x, const std::vector<std::int64_t>& axes) {
  const ValueId mean = expansion.reduced("ReduceMean", x, axes);
  const ValueId centred = expansion.add("Sub", {x, mean});
  const ValueId variance = expansion.reduced("ReduceMean", expansion.add("Mul", {centred, centred}), axes);
  return {.mean = mean, .centred = centred, .variance = variance};
}

std::vector<std::int64_t> axes_but_channels(std::size_t rank) {
  std::vector<std::int64_t> axes;
  for (std::size_t i = 0; i < rank; ++i)
    if (i != 1) axes.push_back(static_cast<std::int64_t>(i));
  return axes;
}

bool expand_mean_variance(Expansion& expansion) {
  const std::size_t rank = expansion.dims(0).size();
  if (expansion.version() < 9 || element_count(expansion.dims(0)) == 0) return false;
  std::vector<std::int64_t> axes = expansion.integers("axes");
  if (axes.empty()) axes = axes_but_channels(rank);
  const BatchMoments moments = moments_along(expansion, expansion.input(0), axes);
  // The small constant is that of the operator's published definition.
  const ValueId deviation = expansion.add("Add", {expansion.add("Sqrt", {moments.variance}), expansion.like(0, 1e-9)});
  expansion.become(0, expansion.add("Div", {moments.centred, deviation}));
  return true;
}

/// Every channel by all others near it.
bool expand_local_response(Expansion& expansion) {
  const Dims dims = expansion.dims(0);
  if (expansion.opset() < 11 || dims.size() < 2 || element_count(dims) == 0) return false;
  const std::int64_t size = expansion.integer("size"), before = (size - 1) / 2;
  const ValueId x = expansion.input(0), square = expansion.add("Mul", {x, x});
  std::vector<std::int64_t> pads(2 * dims.size(), 0);
  pads[1] = before;
  pads[dims.size() + 1] = size - 1 - before;
  const ValueId padded = expansion.add("Pad", {square, expansion.list_of(pads)});
  std::vector<ValueId> near;
  for (std::int64_t i = 0; i < size; ++i)
    near.push_back(expansion.add(
        "Slice", {padded, expansion.list_of({i}), expansion.list_of({i + dims[1]}), expansion.list_of({1})}));
  ValueId sum = near[0];
  for (std::size_t i = 1; i < near.size(); ++i) sum = expansion.add("Add", {sum, near[i]});
  const double share = expansion.number("alpha") / static_cast<double>(size);
  sum = expansion.add(
      "Add", {expansion.add("Mul", {sum, expansion.like(0, share)}), expansion.like(0, expansion.number("bias"))});
  const ValueId power = expansion.add("Pow", {sum, expansion.like(0, expansion.number("beta"))});
  expansion.become(0, expansion.add("Div", {x, power}));
  return true;
}

/// By the statistics of the batch at hand, which also move the running ones.
bool expand_training_normalization(Expansion& expansion) {
  const Dims dims = expansion.dims(0);
  const bool trains = expansion.version() >= 14 && expansion.integer("training_mode") != 0;
  if (!trains || dims.size() < 2 || element_count(dims) == 0) return false;
  Dims channels(dims.size(), 1);
  channels[1] = dims[1];
  const auto along = [&](std::size_t slot) { return expansion.reshaped(expansion.input(slot), channels); };
  const BatchMoments moments = moments_along(expansion, expansion.input(0), axes_but_channels(dims.size()));
  const ValueId deviation =
      expansion.add("Sqrt", {expansion.add("Add", {moments.variance, expansion.like(0, expansion.number("epsilon"))})});
  const ValueId scaled = expansion.add("Mul", {expansion.add("Div", {moments.centred, deviation}), along(1)});
  expansion.become(0, expansion.add("Add", {scaled, along(2)}));
  const double kept = expansion.number("momentum");
  const auto running = [&](std::size_t slot, ValueId now) {
    const ValueId old = expansion.add("Mul", {expansion.input(slot), expansion.like(slot, kept)});
    const ValueId fresh = expansion.add("Mul", {expansion.reshaped(now, {dims[1]}), expansion.like(slot, 1 - kept)});
    return expansion.add("Add", {old, fresh});
  };
  expansion.become(1, running(3, moments.mean));
  expansion.become(2, running(4, moments.variance));
  return true;
}

bool expand_group_normalization(Expansion& expansion) {
  const Dims dims = expansion.dims(0);
  const std::int64_t groups = expansion.integer("num_groups");
  if (dims.size() < 3 || element_count(dims) == 0 || !is_floating(expansion.element(0))) return false;
  if (expansion.version() >= 21 && bit_width(expansion.element(0)) < 32) return false;
  const ValueId apart =
      expansion.reshaped(expansion.input(0), {dims[0], groups, element_count(dims) / (dims[0] * groups)});
  const BatchMoments moments = moments_along(expansion, apart, {2});
  const ValueId deviation =
      expansion.add("Sqrt", {expansion.add("Add", {moments.variance, expansion.like(0, expansion.number("epsilon"))})});
  const ValueId normal = expansion.add("Div", {moments.centred, deviation});
  // Before opset 21 there is a scale for every group, since then one for every channel.
  Dims inner(dims.size(), 1), whole = dims;
  inner[1] = dims[1];
  if (expansion.version() < 21) {
    whole = {dims[0], groups, element_count(dims) / (dims[0] * groups)};
    inner = {1, groups, 1};
  }
  const ValueId shaped = expansion.reshaped(normal, whole);
  const auto along = [&](std::size_t slot) { return expansion.reshaped(expansion.input(slot), inner); };
  const ValueId result = expansion.add("Add", {expansion.add("Mul", {shaped, along(1)}), along(2)});
  expansion.become(0, expansion.reshaped(result, dims));
  return true;
}

const ExpansionFamily normalization_expansions({
    {"MeanVarianceNormalization", expand_mean_variance},
    {"LRN", expand_local_response},
    {"BatchNormalization", expand_training_normalization},
    {"GroupNormalization", expand_group_normalization},
});

}  // namespace
}  // namespace hone

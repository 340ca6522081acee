#include "learn/network/network.h"

#include "base/hash.h"
#include "base/random.h"

namespace hone {

std::vector<ArraySpec> arrays_of(const NetworkSpec& spec) {
  std::vector<ArraySpec> arrays;
  for (const LayerSpec& layer : spec.layers)
    for (ArraySpec& array : layer.kind->arrays(layer)) {
      array.name = spec.prefix + layer.name + "." + array.name;
      arrays.push_back(std::move(array));
    }
  for (const ArraySpec& array : spec.free) {
    arrays.push_back(array);
    arrays.back().name = spec.prefix + array.name;
  }
  return arrays;
}

void draw_arrays(const NetworkSpec& spec, std::uint64_t seed, Safetensors& contents) {
  for (const ArraySpec& array : arrays_of(spec)) {
    Rng rng = Rng(seed).split(hash_text(array.name));
    std::size_t count = 1;
    for (const std::size_t dim : array.shape) count *= dim;
    NamedArray& drawn = contents.arrays[array.name] = {.shape = array.shape, .values = {}};
    for (std::size_t i = 0; i < count; ++i)
      drawn.values.push_back(static_cast<float>(array.mean + array.deviation * rng.normal()));
  }
}

Network::Network(NetworkSpec spec, const Safetensors& contents, std::string_view source) : spec_(std::move(spec)) {
  for (const LayerSpec& layer : spec_.layers)
    layers_.push_back(layer.kind->make(layer, LayerArrays(contents, spec_.prefix, layer, source)));
  for (const ArraySpec& array : spec_.free)
    free_[array.name] = array_of(contents, spec_.prefix + array.name, array.shape, source);
}

Network Network::with(NetworkSpec fewer) const {
  Network other;
  other.free_ = free_;
  for (const LayerSpec& layer : fewer.layers)
    for (std::size_t i = 0; i < layers_.size(); ++i)
      if (spec_.layers[i].name == layer.name) other.layers_.push_back(layers_[i]);
  other.spec_ = std::move(fewer);
  return other;
}

std::vector<float> Network::run(const GraphInput& graph) const {
  std::vector<float> rows(graph.rows.begin(), graph.rows.end());
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    std::vector<float> next = layers_[i]->run(rows, graph);
    activate(next, spec_.layers[i].activation);
    if (spec_.layers[i].residual == Residual::added)
      for (std::size_t k = 0; k < next.size(); ++k) next[k] += rows[k];
    rows = std::move(next);
  }
  return rows;
}

}  // namespace hone

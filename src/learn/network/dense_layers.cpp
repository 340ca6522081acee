// Layers that look at each row by itself.

#include <cmath>

#include "learn/network/layers.h"
#include "learn/network/linear_map.h"

namespace hone {
namespace {

class Dense final : public Layer {
 public:
  Dense(const LayerSpec&, const LayerArrays& arrays) : map_(arrays) {}

  std::vector<float> run(const std::vector<float>& rows, const GraphInput& graph) const override {
    return map_.of(rows, graph.nodes);
  }

 private:
  LinearMap map_;
};

class Norm final : public Layer {
 public:
  Norm(const LayerSpec& spec, const LayerArrays& arrays)
      : width_(spec.inputs), weight_(arrays.at("weight").values), bias_(arrays.at("bias").values) {}

  std::vector<float> run(const std::vector<float>& rows, const GraphInput& graph) const override {
    std::vector<float> out(rows.size());
    for (std::size_t node = 0; node < graph.nodes; ++node) {
      const float* row = rows.data() + node * width_;
      float mean = 0, square = 0;
      for (std::size_t i = 0; i < width_; ++i) mean += row[i] / static_cast<float>(width_);
      for (std::size_t i = 0; i < width_; ++i) square += (row[i] - mean) * (row[i] - mean) / static_cast<float>(width_);
      const float scale = 1 / std::sqrt(square + kNormEpsilon);
      for (std::size_t i = 0; i < width_; ++i) out[node * width_ + i] = (row[i] - mean) * scale * weight_[i] + bias_[i];
    }
    return out;
  }

 private:
  std::size_t width_;
  std::vector<float> weight_, bias_;
};

class Superposition final : public Layer {
 public:
  Superposition(const LayerSpec& spec, const LayerArrays& arrays) : width_(spec.inputs), map_(arrays) {}

  std::vector<float> run(const std::vector<float>& rows, const GraphInput& graph) const override {
    std::vector<float> gate = map_.of(graph.condition, 1), out(rows.size());
    for (float& open : gate) open = 2 / (1 + std::exp(-open));
    for (std::size_t node = 0; node < graph.nodes; ++node)
      for (std::size_t i = 0; i < width_; ++i) out[node * width_ + i] = rows[node * width_ + i] * gate[i];
    return out;
  }

 private:
  std::size_t width_;
  LinearMap map_;
};

std::vector<ArraySpec> dense_arrays(const LayerSpec& spec) {
  return {matrix("weight", spec.outputs, spec.inputs, spec), zeros("bias", spec.outputs)};
}

std::vector<ArraySpec> norm_arrays(const LayerSpec& spec) {
  return {{.name = "weight", .shape = {spec.inputs}, .mean = 1}, zeros("bias", spec.inputs)};
}

}  // namespace

const LayerKind dense_layer("dense", dense_arrays, make_layer<Dense>);
const LayerKind norm_layer("norm", norm_arrays, make_layer<Norm>);
const LayerKind superposition_layer("superposition", dense_arrays, make_layer<Superposition>);

}  // namespace hone

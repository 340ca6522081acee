#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "learn/network/layer.h"

namespace hone {

/// A network: a list of layers that rows of nodes go through, one after the other. This description is all that the
/// evaluator, the drawing of first weights, the learning library and whoever checks or saves a file know of a network.
struct NetworkSpec {
  std::string prefix;             // what the names of all its arrays begin with
  std::vector<LayerSpec> layers;  // each takes what the one before gives
  std::vector<ArraySpec> free;    // arrays of no layer, such as weights for choices that are no node's

  std::size_t outputs() const { return layers.back().outputs; }
};

/// All arrays of a network under their whole names.
std::vector<ArraySpec> arrays_of(const NetworkSpec& spec);

/// Draws what a network begins with: what an array gets depends on the seed and its name, not on any other array.
void draw_arrays(const NetworkSpec& spec, std::uint64_t seed, Safetensors& contents);

/// A network evaluated without any library.
class Network {
 public:
  /// Throws InputError when arrays are missing, have another shape or numbers that are not finite.
  Network(NetworkSpec spec, const Safetensors& contents, std::string_view source);

  const NetworkSpec& spec() const { return spec_; }
  /// The same with only those layers that `fewer` still has: what a part of it is good for.
  Network with(NetworkSpec fewer) const;
  /// Rows of outputs, one a node.
  std::vector<float> run(const GraphInput& graph) const;
  /// An array of no layer.
  const std::vector<float>& free(const std::string& name) const { return free_.at(name).values; }

 private:
  NetworkSpec spec_;
  Network() = default;

  std::vector<std::shared_ptr<const Layer>> layers_;
  std::map<std::string, NamedArray> free_;
};

}  // namespace hone

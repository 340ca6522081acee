#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/registered.h"
#include "learn/network/activation.h"
#include "learn/network/graph_input.h"
#include "learn/network/safetensors.h"

namespace hone {

/// An array of a network: its name, its shape, and how it is drawn before training.
struct ArraySpec {
  std::string name;
  std::vector<std::size_t> shape;
  double deviation = 0;  // of the normal distribution that its numbers are drawn from
  double mean = 0;

  friend bool operator==(const ArraySpec&, const ArraySpec&) = default;
};

class LayerKind;

/// Which way layers that look at neighbours go along edges.
enum class EdgeDirection : std::uint8_t { forward, backward };

/// Whether what a layer gives replaces the rows or is added to them.
enum class Residual : std::uint8_t { none, added };

/// One layer of a network: everything about it but its numbers.
struct LayerSpec {
  std::string name;  // what the names of its arrays begin with, before a dot
  const LayerKind* kind = nullptr;
  std::size_t inputs = 0, outputs = 0;
  Activation activation = Activation::none;
  Residual residual = Residual::none;
  EdgeDirection direction = EdgeDirection::forward;  // of layers that go one way only
  std::size_t edge_features = 0;                     // of layers that look at them
  std::size_t segment = 0;                           // of layers that cut a sequence: its length
  double gain = 1;                                   // by which matrices are larger than usual before training
};

/// The arrays of one layer by the names that its kind gives them.
class LayerArrays {
 public:
  /// Throws InputError when arrays are missing, have another shape or numbers that are not finite.
  LayerArrays(const Safetensors& contents, const std::string& prefix, const LayerSpec& spec, std::string_view source);

  const NamedArray& at(const std::string& name) const { return *arrays_.at(name); }

 private:
  std::map<std::string, const NamedArray*> arrays_;
};

/// A layer ready to be evaluated.
class Layer {
 public:
  virtual ~Layer() = default;
  /// Rows of `outputs` numbers, one a node, from rows of `inputs`; without activation and residual.
  virtual std::vector<float> run(const std::vector<float>& rows, const GraphInput& graph) const = 0;
};

/// A kind of layer, by name: which arrays it has and what it computes from them. Defining one at namespace scope
/// registers it. The learning library has an implementation with gradients for every kind, under the same name.
class LayerKind : public Registered<LayerKind> {
 public:
  static constexpr std::string_view kCalled = "kind of layer";
  using Arrays = std::vector<ArraySpec> (*)(const LayerSpec&);
  using Make = std::unique_ptr<Layer> (*)(const LayerSpec&, const LayerArrays&);

  LayerKind(std::string_view name, Arrays lister, Make maker) : name_(name), arrays_(lister), make_(maker) {}

  std::string_view name() const { return name_; }
  /// Names without that of the layer.
  std::vector<ArraySpec> arrays(const LayerSpec& spec) const { return arrays_(spec); }
  std::unique_ptr<Layer> make(const LayerSpec& spec, const LayerArrays& arrays) const { return make_(spec, arrays); }

 private:
  std::string_view name_;
  Arrays arrays_;
  Make make_;
};

/// What `LayerKind` makes layers of a class by.
template <class Made>
std::unique_ptr<Layer> make_layer(const LayerSpec& spec, const LayerArrays& arrays) {
  return std::make_unique<Made>(spec, arrays);
}

/// The usual matrix of a layer: drawn so that sums over `columns` neither grow nor vanish, times the layer's gain.
ArraySpec matrix(std::string name, std::size_t rows, std::size_t columns, const LayerSpec& spec);
/// Zeros before training.
ArraySpec zeros(std::string name, std::size_t count);

}  // namespace hone

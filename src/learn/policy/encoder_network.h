#pragma once

#include <string>
#include <string_view>

#include "base/registered.h"
#include "learn/network/network.h"

namespace hone {

/// How nodes of a graph learn of each other in a network: rounds of one kind of layer, each added to what was there.
class EncoderKind : public Registered<EncoderKind> {
 public:
  static constexpr std::string_view kCalled = "encoder";

  /// Whether rows are normalised after each round, without which sums over many neighbours grow and grow.
  enum class Norm : std::uint8_t { none, rounds };

  EncoderKind(std::string_view name, const LayerKind& layer, Activation activation, Norm norm = Norm::none)
      : name_(name), layer_(layer), activation_(activation), norm_(norm) {}

  std::string_view name() const { return name_; }
  std::vector<LayerSpec> round(std::size_t index, std::size_t width) const;

 private:
  std::string_view name_;
  const LayerKind& layer_;
  Activation activation_;
  Norm norm_;
};

/// Messages along the edges of the graph, in both directions.
extern const EncoderKind message_encoder;
/// The same with what flows along each edge as part of the message (`kEdgeFeatures`), summed up and normalised.
extern const EncoderKind edge_encoder;
/// All nodes read as one sequence from both ends (REGAL's baseline "graph as sequence").
extern const EncoderKind sequence_encoder;
/// GraphSAGE with max pooling: rounds along edges and against them in turn, normalised.
extern const EncoderKind sage_encoder;

/// Numbers that networks see of an edge; those that do not look at edges are free to ignore them.
inline constexpr std::size_t kEdgeFeatures = 4;

/// What can be chosen about a network.
struct NetworkShape {
  std::size_t width = 32, rounds = 2;
  const EncoderKind* encoder = &message_encoder;
};

/// Features of nodes are embedded (layer `embed`), go through the rounds of an encoder (`round0`, ...) and become
/// outputs of nodes (`head`).
NetworkSpec encoder_network(std::string prefix, const NetworkShape& shape, std::size_t features, std::size_t outputs);

/// The shape of a network in a file, of which the card names the encoder. Throws InputError when there is no such
/// network.
NetworkShape shape_in(const Safetensors& contents, const std::string& prefix, std::string_view source);

}  // namespace hone

#include "learn/policy/encoder_network.h"

#include <algorithm>

#include "base/error.h"
#include "learn/network/layers.h"
#include "learn/policy/card.h"

namespace hone {
namespace {

constexpr std::size_t kMostRounds = 16;
constexpr double kRoundGain = 0.5, kHeadGain = 0.01;  // so that a network that has learned nothing says next to nothing

std::string round_name(std::size_t index) { return fmt::format("round{}", index); }

}  // namespace

std::vector<LayerSpec> EncoderKind::round(std::size_t index, std::size_t width) const {
  std::vector<LayerSpec> layers = {{.name = round_name(index),
                                    .kind = &layer_,
                                    .inputs = width,
                                    .outputs = width,
                                    .activation = activation_,
                                    .residual = Residual::added,
                                    .direction = index % 2 == 0 ? EdgeDirection::forward : EdgeDirection::backward,
                                    .edge_features = kEdgeFeatures,
                                    .gain = kRoundGain}};
  if (norm_ == Norm::rounds)
    layers.push_back({.name = round_name(index) + ".norm", .kind = &norm_layer, .inputs = width, .outputs = width});
  return layers;
}

const EncoderKind message_encoder("messages", messages_layer, Activation::relu);
const EncoderKind edge_encoder("edges", edge_messages_layer, Activation::relu, EncoderKind::Norm::rounds);
const EncoderKind sequence_encoder("sequence", reading_layer, Activation::none);
const EncoderKind sage_encoder("graphsage", max_pool_layer, Activation::relu, EncoderKind::Norm::rounds);

NetworkSpec encoder_network(std::string prefix, const NetworkShape& shape, std::size_t features, std::size_t outputs) {
  NetworkSpec spec{.prefix = std::move(prefix), .layers = {}, .free = {}};
  spec.layers.push_back({.name = "embed",
                         .kind = &dense_layer,
                         .inputs = features,
                         .outputs = shape.width,
                         .activation = Activation::relu});
  for (std::size_t i = 0; i < shape.rounds; ++i)
    for (LayerSpec& layer : shape.encoder->round(i, shape.width)) spec.layers.push_back(std::move(layer));
  spec.layers.push_back(
      {.name = "head", .kind = &dense_layer, .inputs = shape.width, .outputs = outputs, .gain = kHeadGain});
  return spec;
}

NetworkShape shape_in(const Safetensors& contents, const std::string& prefix, std::string_view source) {
  const auto embed = contents.arrays.find(prefix + "embed.weight");
  if (embed == contents.arrays.end() || embed->second.shape.size() != 2)
    fail("{}: the policy has no array '{}embed.weight'", source, prefix);
  NetworkShape shape{.width = embed->second.shape.front(),
                     .rounds = 0,
                     .encoder = &kind_in<EncoderKind>(contents, "encoder", message_encoder, source)};
  const auto has_round = [&](std::size_t index) {
    const std::string begin = prefix + round_name(index) + ".";
    const auto found = contents.arrays.lower_bound(begin);
    return found != contents.arrays.end() && found->first.starts_with(begin);
  };
  while (has_round(shape.rounds))
    if (++shape.rounds > kMostRounds) fail("{}: the policy has more than {} rounds", source, kMostRounds);
  return shape;
}

}  // namespace hone

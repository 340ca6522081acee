#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "learn/policy/safetensors.h"

namespace hone {

/// How operations of a graph hear of each other in a network: by messages along the graph, or as one sequence that is
/// read from both ends (REGAL's baseline "graph as sequence").
enum class Encoder : std::uint8_t { messages, sequence };

/// How weights become a plan: step by step, in view of what is decided already, or every decision by itself (REGAL's
/// autoregressive and conditionally independent policies).
enum class Head : std::uint8_t { autoregressive, independent };

std::string_view name_of(Encoder encoder);
std::string_view name_of(Head head);
/// By its name; `source` names where it was found in messages. Throws InputError for a name this hone does not know.
Encoder parse_encoder(std::string_view name, std::string_view source);
Head parse_head(std::string_view name, std::string_view source);

/// What a policy's card says; messages and autoregressive where it says nothing. Throws InputError likewise.
Encoder encoder_of(const Safetensors& contents, std::string_view source);
Head head_of(const Safetensors& contents, std::string_view source);
/// Writes both into a card.
void describe(Safetensors& contents, Encoder encoder, Head head);

/// Writes a digest of all arrays into the card, by which `is_intact` later tells whether one has changed.
void seal(Safetensors& contents);
/// What the card says of that: nothing where it was never sealed.
std::optional<bool> is_intact(const Safetensors& contents);

}  // namespace hone

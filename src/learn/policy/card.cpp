#include "learn/policy/card.h"

#include <array>

#include "base/error.h"
#include "base/sha256.h"

namespace hone {
namespace {

constexpr std::array<std::string_view, 2> kEncoders = {"messages", "sequence"};
constexpr const char* kSeal = "weights_sha256";
constexpr std::array<std::string_view, 2> kHeads = {"autoregressive", "independent"};

std::size_t parse(const std::array<std::string_view, 2>& names, std::string_view kind, std::string_view name,
                  std::string_view source) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return i;
  fail("{}: the policy has the {} '{:.60}', but this hone knows only '{}' and '{}'", source, kind, name, names[0],
       names[1]);
}

std::string_view entry_of(const Safetensors& contents, const std::string& key, std::string_view otherwise) {
  const auto found = contents.metadata.find(key);
  return found == contents.metadata.end() ? otherwise : std::string_view(found->second);
}

std::string digest_of(const Safetensors& contents) {
  const std::string bytes = print_safetensors({.arrays = contents.arrays, .metadata = {}});
  return sha256(std::as_bytes(std::span(bytes)));
}

}  // namespace

std::string_view name_of(Encoder encoder) { return kEncoders[static_cast<std::size_t>(encoder)]; }
std::string_view name_of(Head head) { return kHeads[static_cast<std::size_t>(head)]; }

Encoder parse_encoder(std::string_view name, std::string_view source) {
  return static_cast<Encoder>(parse(kEncoders, "encoder", name, source));
}

Head parse_head(std::string_view name, std::string_view source) {
  return static_cast<Head>(parse(kHeads, "head", name, source));
}

Encoder encoder_of(const Safetensors& contents, std::string_view source) {
  return parse_encoder(entry_of(contents, "encoder", kEncoders[0]), source);
}

Head head_of(const Safetensors& contents, std::string_view source) {
  return parse_head(entry_of(contents, "head", kHeads[0]), source);
}

void describe(Safetensors& contents, Encoder encoder, Head head) {
  contents.metadata["encoder"] = name_of(encoder);
  contents.metadata["head"] = name_of(head);
}

void seal(Safetensors& contents) { contents.metadata[kSeal] = digest_of(contents); }

std::optional<bool> is_intact(const Safetensors& contents) {
  const std::string_view sealed = entry_of(contents, kSeal, "");
  if (sealed.empty()) return std::nullopt;
  return sealed == digest_of(contents);
}

}  // namespace hone

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "learn/network/safetensors.h"

namespace hone {

/// What a card says under a key, or nothing.
std::string_view card_entry(const Safetensors& contents, const std::string& key);

/// Throws InputError: a file names something of which this hone knows only others.
[[noreturn]] void fail_unknown(std::string_view source, std::string_view key, std::string_view name,
                               const std::vector<std::string_view>& known);

/// The registered kind that a card names under a key, or `otherwise` where it names none. Throws InputError for a name
/// this hone does not know.
template <class Kind>
const Kind& kind_in(const Safetensors& contents, const std::string& key, const Kind& otherwise,
                    std::string_view source) {
  const std::string_view name = card_entry(contents, key);
  if (name.empty()) return otherwise;
  std::vector<std::string_view> known;
  for (const Kind* kind : Kind::all()) {
    if (kind->name() == name) return *kind;
    known.push_back(kind->name());
  }
  fail_unknown(source, key, name, known);
}

/// The key of a digest of all arrays.
inline constexpr const char* kSeal = "weights_sha256";
/// Writes that into the card, by which `is_intact` later tells whether one has changed.
void seal(Safetensors& contents);
/// What the card says of that: nothing where it was never sealed.
std::optional<bool> is_intact(const Safetensors& contents);

}  // namespace hone

#include "learn/policy/card.h"

#include "base/error.h"
#include "base/sha256.h"

namespace hone {
namespace {

std::string digest_of(const Safetensors& contents) {
  const std::string bytes = print_safetensors({.arrays = contents.arrays, .metadata = {}});
  return sha256(std::as_bytes(std::span(bytes)));
}

}  // namespace

std::string_view card_entry(const Safetensors& contents, const std::string& key) {
  const auto found = contents.metadata.find(key);
  return found == contents.metadata.end() ? std::string_view() : std::string_view(found->second);
}

void fail_unknown(std::string_view source, std::string_view key, std::string_view name,
                  const std::vector<std::string_view>& known) {
  fail("{}: the policy has the {} '{:.60}', but this hone knows only '{}'", source, key, name,
       fmt::join(known, "', '"));
}

void seal(Safetensors& contents) { contents.metadata[kSeal] = digest_of(contents); }

std::optional<bool> is_intact(const Safetensors& contents) {
  const std::string_view sealed = card_entry(contents, kSeal);
  if (sealed.empty()) return std::nullopt;
  return sealed == digest_of(contents);
}

}  // namespace hone

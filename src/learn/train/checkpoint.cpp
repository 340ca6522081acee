#include "learn/train/checkpoint.h"

#include <charconv>
#include <cmath>

#include "base/error.h"
#include "learn/policy/policy.h"

namespace hone::learn {
namespace {

constexpr std::string_view kNetwork = "network.";

}  // namespace

Safetensors usable_policy(const std::string& name) {
  Safetensors contents = read_policy(name);
  const Policy usable(contents, name);
  return contents;
}

double number_in(const Safetensors& checkpoint, const std::string& key) {
  const auto found = checkpoint.metadata.find(key);
  if (found == checkpoint.metadata.end()) fail("the checkpoint does not say '{}'", key);
  const std::string& text = found->second;
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(number))
    fail("the checkpoint says '{:.60}' for '{}', which is no number", text, key);
  return number;
}

void put_network(const TorchNetwork& network, Safetensors& checkpoint) {
  for (const auto& [name, array] : network.save().arrays) checkpoint.arrays[std::string(kNetwork) + name] = array;
}

TorchNetwork network_in(const Safetensors& checkpoint, const NetworkSpec& spec) {
  Safetensors contents;
  for (const auto& [name, array] : checkpoint.arrays)
    if (name.starts_with(kNetwork)) contents.arrays[name.substr(kNetwork.size())] = array;
  return {spec, contents, "checkpoint"};
}

}  // namespace hone::learn

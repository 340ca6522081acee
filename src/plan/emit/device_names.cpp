#include "plan/emit/device_names.h"

#include <algorithm>

namespace hone {
namespace {

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

}  // namespace

std::vector<std::string> plain_device_names(const Machine& machine) {
  std::vector<std::string> names;
  for (const Device& device : machine.devices) {
    std::string name = device.name;
    std::ranges::replace_if(
        name, [](char c) { return !is_plain(c); }, '-');
    while (std::ranges::find(names, name) != names.end()) name += '_';
    names.push_back(std::move(name));
  }
  return names;
}

}  // namespace hone

#include "plan/machine/identical_processors.h"

#include <charconv>

#include "base/error.h"
#include "plan/machine/machine.h"

namespace hone {

std::optional<std::string> describe_identical_processors(std::string_view spec) {
  constexpr std::string_view kPrefix = "processors:";
  if (!spec.starts_with(kPrefix)) return std::nullopt;
  const std::string_view digits = spec.substr(kPrefix.size());
  std::size_t count = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
  if (error != std::errc() || end != digits.data() + digits.size() || count < 1 || count > kMaxDevices)
    fail_usage("'{:.60}' must say how many processors, 1 to {}, as in processors:8", spec, kMaxDevices);
  std::string text = fmt::format(
      "name = \"{}\"\nsummary = \"{} identical processors, free transfers, memory without end\"\n\n"
      "[[device]]\nkind = \"processor\"\ncount = {}\nmemory_bytes = 1e18\nbytes_per_second = 1e12\nlaunch_seconds = "
      "0\n\n"
      "[device.flops]\nfloat = 1e12\n",
      spec, count, count);
  if (count > 1) text += "\n[[link]]\nfrom = \"*\"\nto = \"*\"\nsharing = \"all\"\nfree = true\n";
  return text;
}

}  // namespace hone

#include "store/lookup.h"

#include <array>

namespace hone {

std::string_view describe(Match match) {
  constexpr std::array<std::string_view, 4> kWords{"this machine and runtime", "another runtime version",
                                                   "another machine", "another machine and runtime version"};
  return kWords[static_cast<std::size_t>(match)];
}

Match match_of(const Setting& wanted, std::string_view hardware, std::string_view software) {
  if (hardware == wanted.hardware) return software == wanted.software ? Match::exact : Match::other_software;
  return software == wanted.software ? Match::other_hardware : Match::other_both;
}

}  // namespace hone

#include <algorithm>

#include "graph/expand/expansion.h"
#include "graph/ops/axes.h"

// Movement as gathers along one axis after another.

namespace hone {
namespace {

/// Which element of an axis stands at a place before its first or after its last one.
std::int64_t continued(std::string_view mode, std::int64_t at, std::int64_t length) {
  const auto modulo = [](std::int64_t a, std::int64_t b) { return ((a % b) + b) % b; };
  if (mode == "edge") return std::clamp<std::int64_t>(at, 0, length - 1);
  if (mode == "wrap") return modulo(at, length);
  if (length == 1) return 0;
  const std::int64_t period = 2 * (length - 1), phase = modulo(at, period);
  return std::min(phase, period - phase);
}

/// Pad that goes on with elements of the input.
bool expand_pad(Expansion& expansion) {
  const std::string& mode = expansion.text("mode");
  const bool continues = mode == "edge" || mode == "wrap" || mode == "reflect";
  if (!continues || element_count(expansion.dims(0)) == 0 || expansion.has_input(3)) return false;
  std::vector<std::int64_t> pads;
  if (expansion.version() < 11) pads = expansion.integers(expansion.version() == 1 ? "paddings" : "pads");
  else if (expansion.constant(1) != nullptr) pads = expansion.constant(1)->integers();
  const Dims dims = expansion.dims(0);
  if (pads.size() != 2 * dims.size()) return false;
  ValueId result = expansion.input(0);
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    const std::int64_t begin = pads[axis], end = pads[dims.size() + axis];
    if (begin == 0 && end == 0) continue;
    const std::int64_t first = std::max<std::int64_t>(-begin, 0), last = std::max<std::int64_t>(-end, 0);
    const std::int64_t length = dims[axis] - first - last;
    if (length <= 0) return false;
    std::vector<std::int64_t> places;
    for (std::int64_t at = -std::max<std::int64_t>(begin, 0); at < length + std::max<std::int64_t>(end, 0); ++at)
      places.push_back(first + continued(mode, at, length));
    result = expansion.add("Gather", {result, expansion.list_of(places)}, {{"axis", static_cast<std::int64_t>(axis)}});
  }
  expansion.become(0, result);
  return true;
}

const ExpansionFamily movement_expansions({{"Pad", expand_pad}});

}  // namespace
}  // namespace hone

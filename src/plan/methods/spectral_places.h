#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/flat_lists.h"

namespace hone {

/// Things that want to be near one another: every net is a set of nodes, and how much they want it.
struct Nets {
  std::size_t nodes = 0;
  FlatLists<std::uint32_t> ends;  // by net: its nodes, distinct
  std::vector<double> weight;     // by net
};

/// By node: a place on a line such that what hangs together lies together (the second eigenvector of the walk from node
/// to net to node, roughly). Nodes are merged two by two along their heaviest nets until few are left, these get their
/// places, and with every merger that is undone places are smoothed; so the time it takes grows as the nets do.
std::vector<double> spectral_places(const Nets& nets);

}  // namespace hone

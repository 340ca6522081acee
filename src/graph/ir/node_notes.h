#pragma once

#include <span>
#include <string>
#include <utility>

#include "graph/ir/graph.h"

namespace hone {

/// A key and its value, as `metadata_props` holds them.
using Entry = std::pair<std::string, std::string>;

/// The notes with these entries; what they said under the same keys before is gone.
SharedNotes with_entries(const SharedNotes& notes, std::span<const Entry> entries);

/// Gives every node of the graph (not of its bodies) a name that no other has: one that has none is named after its
/// first output, and of several with the same name all but the first get a number. Returns how many were named.
std::size_t name_nodes(Graph& graph);

}  // namespace hone

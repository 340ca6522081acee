#pragma once

#include <optional>
#include <string_view>

#include "graph/ir/dim.h"

namespace hone {

/// Reads an expression as Dim::text writes it: `2*seq + 1`, `floor((n + 1)/(2))`, `max(a, b)`; an odd name stands in
/// backquotes. Nullopt for anything else, or when it is too long to be of use.
std::optional<Dim> read_dim_expression(std::string_view text);

}  // namespace hone

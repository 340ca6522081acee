#pragma once

#include "graph/ops/datum.h"

namespace hone {

/// Whether a type is one of the usual floating types that double precision holds exactly and computes better.
bool is_widened(ElementType type);

/// The datum with its float, float16 and bfloat16 elements as doubles; others stay as they are.
Datum widened(const Datum& datum);

/// The datum with its doubles as elements of the given type.
Datum narrowed(const Datum& datum, ElementType type);

/// The datum with those of its doubles that are out of the range of a type as it would hold them: infinite, or zero.
Datum within_range(const Datum& datum, ElementType type);

}  // namespace hone

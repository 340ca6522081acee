#pragma once

#include <optional>
#include <string>

#include "plan/problem/problem.h"

namespace hone {

/// What is wrong with the groups of a plan as kernels, as one sentence; nothing when every group may be one. Says
/// nothing of circles and sizes: `check` does.
///
/// Of a group of several operations, copies among them, it asks:
///  - each has a loop and no stated time, all have the same colocation class, there are no more of them than
///  FusionLimits allows, nor reads
///    from outside;
///  - an operation is aligned if all that read it inside the group are aligned and read it at the same point or row;
///    reductions over rows and contractions are aligned, contractions read at the same point only;
///  - at most one contraction, and none beside reductions; a contraction is nowhere a copy;
///  - a reduction over columns is not read inside the group and not beside reductions over rows;
///  - all reductions over rows have the same rows and the most points of all operations that are stored, reduced or
///    contracted; a contraction, too, has so many points; what is stored has so many points or as many as there are
///    rows, which without reductions may be any one number;
///  - where rows are reduced and a value of a row is read by the points of the row, a row fits into scratch memory.
std::optional<std::string> check_fusion(const Problem& problem, const Plan& plan);

}  // namespace hone

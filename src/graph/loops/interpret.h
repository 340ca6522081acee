#pragma once

#include <span>

#include "graph/loops/loop_nest.h"

namespace hone {

/// What a loop nest means: runs it point by point, rows in order, reals as doubles that are rounded when they are
/// stored. `arrays` has for every operand where its element of the first point lies.
void interpret(const LoopNest& nest, std::span<void* const> arrays);

}  // namespace hone

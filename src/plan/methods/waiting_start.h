#pragma once

#include "plan/search/search.h"

namespace hone {

/// Whether it is among what is decided whether devices wait for what is next in line.
bool decides_waiting(const Task& task);

/// What a search starts from, by operation; devices wait in it where that is decided. Whoever wants to hold little at a
/// time must be able to leave for later what could run.
Plan waiting_start(const Search& search);

}  // namespace hone

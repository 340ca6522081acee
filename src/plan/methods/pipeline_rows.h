#pragma once

#include "plan/search/search.h"

namespace hone {

/// Decisions of all pipelines of stages (see `pipeline_guidance`), one after another. Threads of the search share them
/// out, since one pass over 80,000 operations takes a good part of a second.
Decisions pipeline_rows(const Search& search);

}  // namespace hone

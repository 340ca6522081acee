#pragma once

#include "plan/search/search.h"

namespace hone {

/// Whether a search is about operations that are no groups yet: all that policies know.
inline bool is_about_operations(const Search& search) {
  return search.problem().workload.operation_count() > 0 && search.start().group_of.empty();
}

}  // namespace hone

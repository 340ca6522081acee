#pragma once

#include <string>
#include <vector>

#include "plan/problem/workload.h"

namespace hone {

/// A graph under the name it has in tables.
struct NamedGraph {
  std::string name;
  Workload workload;
};

/// The graphs that a case names: `zoo:NAME` is one, `synthetic:RECIPE,split=test` all of the recipe's that belong to
/// that split (train, valid or test). Throws InputError (usage) for what it does not understand.
std::vector<NamedGraph> load_graphs(const std::vector<std::string>& specs);

}  // namespace hone

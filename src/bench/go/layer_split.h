#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plan/problem/problem.h"

namespace hone {

/// By operation: the layer it belongs to, from 0 on. `words` are those that a model's builder begins the scopes of its
/// layers with: `layer` of `/encoder/layer3/step7/Add`; several count from the outermost to the innermost, and
/// `forward=0` gives a scope without a number one. What is in no layer belongs to the last of those it reads or, where
/// that says nothing, to the first of those that read it; so gradients and updates are where their layers are.
std::vector<std::uint32_t> layers_of(const Workload& workload, const std::vector<std::string>& words);

/// Layers one after another on as many stretches as there are devices: of equally many layers, and of equally many
/// seconds.
std::vector<Plan> layer_splits(const Problem& problem, const std::vector<std::uint32_t>& layer_of);

}  // namespace hone

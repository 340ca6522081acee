#pragma once

#include <span>
#include <vector>

#include "plan/methods/genes.h"

namespace hone {

/// For every gene the Beta distribution with the mean and variance that it has in some plans. Drawn from these, genes
/// know nothing of one another: REGAL's conditionally independent form of a policy that decides step by step.
std::vector<GeneGuidance::Beta> marginals_of(std::span<const Decisions> plans);

}  // namespace hone

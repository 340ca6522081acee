#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "plan/problem/workload.h"

// Random graphs after the appendix of REGAL (Paliwal et al., ICLR 2020): classical families made into DAGs, tensor
// sizes normal around 50 with deviation 10, costs the sum of a node's tensor sizes with a little noise. Edge parameters
// are those of the follow-up by Jeon et al. (ICLR 2023); layered graphs are ours.

namespace hone::zoo {

/// How a random graph is wired.
enum class GraphFamily : std::uint8_t { erdos_renyi, barabasi_albert, watts_strogatz, stochastic_block, layered };
inline constexpr std::size_t kGraphFamilies = 5;

/// Short name in recipes: `er`, `ba`, `ws`, `sbm`, `layered`.
std::string_view name_of(GraphFamily family);

/// A random DAG of that family. Sizes are bytes, costs microseconds on device kind "device", both whole numbers, so
/// that a CostGraphDef holds them exactly; results nobody reads are outputs of the graph.
Workload synthetic_graph(GraphFamily family, std::size_t nodes, Rng& rng);

/// Equal for graphs that differ only in names, sizes, costs and the order their operations are listed in.
std::uint64_t topology_hash(const Workload& workload);

/// The same graph with every size and cost multiplied by its own factor, normal around 1 with deviation `spread` and at
/// least 0.1. Buffers that share memory share their factor.
Workload with_noise(const Workload& workload, double spread, Rng& rng);

}  // namespace hone::zoo

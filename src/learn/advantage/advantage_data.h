#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "learn/advantage/gibbs.h"

namespace hone {

/// What labelled decisions are collected with.
struct AdvantageRequest {
  std::string tasks, machine, objective;
  std::uint64_t evaluations = 4000;  // of a graph
  std::uint64_t seed = 0;
  std::size_t threads = 1;
};

/// Labelled decisions about one graph: chains from rules and from random decisions, cold and warm.
struct AdvantageData {
  Problem problem;
  std::vector<GibbsChain> chains;
};

/// Draws chains for all graphs into files of a folder, one a graph and chain: which graph, the configurations and their
/// labels. What is there already is read instead, so that a run that was killed goes on; the same on any number of
/// threads. Ends early once Ctrl-C is pressed. Throws InputError for files of another request.
std::vector<AdvantageData> collect_advantages(const AdvantageRequest& request, const std::vector<Workload>& graphs,
                                              const std::filesystem::path& folder);

/// The median magnitude of all advantages of a graph that are not nothing.
double median_advantage(std::span<const GibbsChain> chains);

}  // namespace hone

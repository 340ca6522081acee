#pragma once

#include <cstdint>
#include <queue>
#include <vector>

#include "plan/fuse/group_forest.h"
#include "plan/fuse/kernel_cost.h"

namespace hone {

/// Merges neighbours by what it saves: of all groups that read another in step, always the two that save most time as
/// one kernel by the model of kernels, until nothing saves time. A kernel may come to have several results.
class PriorityMerging {
 public:
  /// `plan` says by operation where operations run. What is passed must outlive it.
  PriorityMerging(const Problem& problem, const FusionGraph& graph, const Plan& plan);

  void run(GroupForest& forest);

 private:
  struct Candidate {
    double gain = 0;
    std::uint32_t producer = 0, reader = 0;  // operations
    std::uint64_t version = 0;               // of both groups, added up: they only ever grow
    bool operator<(const Candidate& other) const {
      if (gain != other.gain) return gain < other.gain;
      return producer != other.producer ? producer > other.producer : reader > other.reader;
    }
  };

  double seconds(GroupForest& forest, std::uint32_t group, std::uint32_t other);
  void consider(GroupForest& forest, std::uint32_t producer, std::uint32_t reader);
  void consider_around(GroupForest& forest, std::uint32_t group);

  const FusionGraph& graph_;
  KernelCost cost_;
  std::vector<double> known_seconds_;   // by group; negative: not known
  std::vector<std::uint64_t> version_;  // by group
  std::priority_queue<Candidate> queue_;
  std::vector<std::uint64_t> pairs_;  // of groups around the one at hand
};

}  // namespace hone

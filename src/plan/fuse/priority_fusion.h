#pragma once

#include <cstdint>
#include <queue>
#include <span>
#include <vector>

#include "plan/fuse/group_forest.h"
#include "plan/fuse/kernel_cost.h"

namespace hone {

/// Priority fusion as XLA does it on GPUs: of all operations that their readers could compute, always the one that
/// saves most time by the model of kernels is computed by them, all of them or none; views first, since they cost
/// nothing. What an operation saves changes with the kernels around it and is reckoned anew. It ends when nothing saves
/// time.
///
/// XLA begins with every operation by itself; here groups may have been merged before, whose operations stay where they
/// are and may compute others.
class PriorityFusion {
 public:
  /// `plan` says by operation where operations run. What is passed must outlive it.
  PriorityFusion(const Problem& problem, const FusionGraph& graph, const Plan& plan, GroupForest& forest);

  /// By operation: whether its readers compute it.
  std::vector<std::uint8_t> run();

 private:
  struct Candidate {
    double gain = 0;
    std::uint32_t operation = 0;
    std::uint32_t version = 0;
    bool operator<(const Candidate& other) const {
      return gain != other.gain ? gain < other.gain : operation > other.operation;
    }
  };

  void collect(std::uint32_t group, std::uint32_t extra);
  double seconds(std::uint32_t group, std::uint32_t extra);
  double seconds_of_kernel(std::uint32_t group);
  bool is_legal(std::uint32_t group, std::size_t homes);
  std::span<const std::uint32_t> hosts_of(std::uint32_t operation);
  double gain(std::uint32_t operation);
  void consider(std::uint32_t operation);
  void inline_operation(std::uint32_t operation);

  static constexpr std::uint32_t kNobody = UINT32_MAX;

  const Problem& problem_;
  const FusionGraph& graph_;
  GroupForest& forest_;
  KernelCost cost_;
  std::vector<std::uint8_t> inlined_;
  std::vector<double> known_seconds_;   // by group; negative: not known
  std::vector<std::uint32_t> version_;  // by operation: of its latest gain
  std::priority_queue<Candidate> queue_;
  std::vector<std::uint32_t> host_stamp_;  // by operation and by group: the last look for hosts that met it
  std::uint32_t host_stamps_ = 0;
  std::vector<std::uint32_t> hosts_, path_;
  std::vector<std::uint8_t> aligned_;  // by operation, of the kernel at hand
};

}  // namespace hone

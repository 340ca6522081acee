#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "plan/machine/operation_class.h"
#include "run/measure/stopwatch.h"
#include "run/profile/isolate.h"
#include "run/profile/operator_timing.h"

namespace hone {

/// One node of a graph as a runtime executes it.
struct ProfiledNode {
  std::string name;
  std::string op;
  std::string config;  // see node_config
  OperationClass operation_class = OperationClass::opaque;
  double flops = 0;             // 0 for operators hone does not know
  double activation_bytes = 0;  // read and written, other than weights
  double weight_bytes = 0;
};

/// What a graph is made of, and how long one run of it takes besides its nodes.
struct GraphProfile {
  std::vector<ProfiledNode> nodes;
  std::vector<std::string> untimed;  // configurations that cannot be run alone, with the reason
  double frame_seconds = 0;          // of a graph without nodes, and of reading again what has left the caches
};

/// Times every distinct node configuration of a graph on a runtime as it would run inside the graph.
///
/// Each configuration is a model of its own, run in graph order in rounds. Between two rounds the caches see as many
/// other bytes as between two inferences of the graph, so weights are as cold as they are there; what the node reads
/// besides is touched just before, as its producer would have written it. It then runs once more, now warm. What the
/// first run took longer counts as far as it would in a graph: what the runtime itself keeps of a node, and the time
/// to read the weights; not the results, which a graph writes into memory that was just in use. Short nodes stand in
/// several copies. A machine that is slower in one round than in another slows all configurations of the round alike,
/// so timings are taken as they would be in a middling round.
class GraphProfiler {
 public:
  /// The host must outlive the profiler. Configurations that `known` has under the conditions of `context` are
  /// not timed.
  GraphProfiler(const RuntimeHost& host, const ObservedGraph& graph, ProfileContext context,
                const ProfileTable& known = {});
  ~GraphProfiler();

  /// Times every configuration once.
  void round();

  /// How much slower the machine was in each round than in a middling one: what half of a round's time took longer by.
  std::vector<double> slowness() const;

  /// How uncertain the sum over all nodes still is: its standard error as a share of it. A reason for another round.
  double uncertainty() const;

  /// The graph and, added to `table`, the timings of all its nodes, also the known ones; needs at least one round.
  GraphProfile finish(ProfileTable& table) const;

  const ProfileContext& context() const { return context_; }

 private:
  struct Bench;
  struct Overheads;
  void add_bench(const ObservedGraph& graph, NodeId id, const std::string& config);
  void evict();
  Overheads overheads() const;
  /// Of all copies, warm, in ascending order.
  std::vector<double> warm_seconds(const Bench& bench, std::span<const double> slowness) const;
  NodeTiming timing_of(const Bench& bench, std::span<const double> slowness, const Overheads& overheads) const;

  const RuntimeHost& host_;
  ProfileContext context_;
  std::vector<NodeTiming> known_;  // of nodes of this graph
  std::vector<std::unique_ptr<Bench>> benches_;
  std::unique_ptr<Bench> frame_, trivial_;
  GraphProfile profile_;
  double cold_bytes_ = 0;     // see reread_bytes
  std::vector<char> stream_;  // read once a round, to see how long cold bytes take
  std::vector<Sample> stream_samples_;
  std::vector<char> eviction_;  // streamed through at the end of a round
};

}  // namespace hone

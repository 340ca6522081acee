#pragma once

#include <map>
#include <memory>
#include <set>
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
/// Each configuration is a model of its own, run in graph order in rounds. Between two of its runs the caches see as
/// many other bytes as between two inferences of the (first) graph, so weights are as cold as they are there; what the
/// node reads besides is touched just before, as its producer would have written it. It then runs once more, now warm.
/// What the first run took longer counts as far as it would in a graph: what the runtime itself keeps of a node, and
/// the time to read the weights; not the results, which a graph writes into memory that was just in use. Short nodes
/// stand in several copies. A machine that is slower in one round than in another slows all configurations of the round
/// alike, so timings are taken as they would be in a middling round.
class GraphProfiler {
 public:
  /// The host must outlive the profiler. Configurations that `known` has under the conditions of `context` are
  /// not timed.
  GraphProfiler(const RuntimeHost& host, const ObservedGraph& graph, ProfileContext context,
                const ProfileTable& known = {});
  ~GraphProfiler();

  /// Times the nodes of another graph with those of the first, as far as it has others; before the first round.
  void add(const ObservedGraph& graph);

  /// Times every configuration once.
  void round();

  /// How much slower the machine was in each round than in a middling one: what half of a round's time took longer by.
  std::vector<double> slowness() const;

  /// How uncertain the sum over all nodes still is: its standard error as a share of it. A reason for another round.
  double uncertainty() const;

  /// The graphs, in the order in which they were added, and, added to `table`, the timings of all their nodes, also the
  /// known ones; needs at least one round.
  std::vector<GraphProfile> finish_all(ProfileTable& table) const;
  /// The same of the first graph.
  GraphProfile finish(ProfileTable& table) const { return finish_all(table).front(); }

  const ProfileContext& context() const { return context_; }

 private:
  struct Bench;
  struct Overheads;
  void add_bench(const ObservedGraph& graph, NodeId id, const std::string& config);
  std::size_t end_of_batch(std::size_t first) const;
  void evict(double batch_bytes);
  Overheads overheads() const;
  /// Of all copies, warm, in ascending order.
  std::vector<double> warm_seconds(const Bench& bench, std::span<const double> slowness) const;
  NodeTiming timing_of(const Bench& bench, std::span<const double> slowness, const Overheads& overheads) const;

  const RuntimeHost& host_;
  ProfileContext context_;
  const ProfileTable known_before_;
  std::vector<double> caches_;     // bytes, the smallest first
  std::vector<NodeTiming> known_;  // of nodes of these graphs
  std::set<std::string> seen_;     // configurations
  std::vector<std::unique_ptr<Bench>> benches_;
  std::unique_ptr<Bench> frame_, trivial_;
  std::vector<GraphProfile> profiles_;
  std::vector<double> cold_bytes_;  // by graph, see reread_bytes
  std::vector<char> stream_;        // read once a round, to see how long cold bytes take
  std::vector<Sample> stream_samples_;
  double weight_bytes_ = 0;     // of the first graph, each constant once
  std::vector<char> eviction_;  // streamed through before a batch
};

}  // namespace hone

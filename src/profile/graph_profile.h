#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "machine/work_class.h"
#include "profile/isolate.h"
#include "profile/record.h"

namespace hone {

/// One node of a graph as a runtime executes it.
struct ProfiledNode {
  std::string name;
  std::string op;
  std::string config;  // see node_config
  WorkClass work_class = WorkClass::opaque;
  double flops = 0;             // 0 for operators hone does not know
  double activation_bytes = 0;  // read and written, other than weights
  double weight_bytes = 0;
};

/// What a graph is made of, and how long one run of it takes besides its nodes.
struct GraphProfile {
  std::vector<ProfiledNode> nodes;
  std::vector<std::string> untimed;  // configurations that cannot be run alone, with the reason
  double frame_seconds = 0;          // of a run of a graph without nodes
};

/// Times every distinct node configuration of a graph on ONNX Runtime as it would run inside the graph.
///
/// Each configuration is a model of its own, run in graph order in rounds. Between two rounds the caches see as many
/// other bytes as between two inferences of the graph, so weights are as cold as they are there; what the node reads
/// besides is touched just before, as its producer would have written it. It then runs once more: what the first run
/// took longer is kept as far as it is due to weights. Short nodes stand in several copies.
/// A machine that is slower in one round than in another slows all configurations of the round alike, so timings are
/// taken as they would be in a middling round.
class GraphProfiler {
 public:
  /// The environment must outlive the profiler. Configurations that `known` has under the conditions of `context` are
  /// not timed.
  GraphProfiler(const ort::Environment& environment, const ObservedGraph& graph, ProfileContext context,
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
  void add_bench(const ObservedGraph& graph, NodeId id, const std::string& config);
  void evict();
  std::vector<double> seconds_of(const Bench& bench, std::span<const double> slowness, double frame_seconds) const;

  const ort::Environment& environment_;
  ProfileContext context_;
  std::vector<NodeTiming> known_;  // of nodes of this graph
  std::vector<std::unique_ptr<Bench>> benches_;
  std::unique_ptr<Bench> frame_;
  GraphProfile profile_;
  std::vector<char> eviction_;  // streamed through at the end of a round
};

}  // namespace hone

#include "run/profile/graph_profile.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <set>

#include "graph/ir/order.h"
#include "graph/ops/cost_context.h"
#include "plan/machine/processor.h"
#include "plan/problem/lower.h"
#include "run/measure/interleave.h"
#include "run/measure/statistics.h"
#include "run/profile/node_config.h"
#include "run/profile/reread.h"

namespace hone {
namespace {

constexpr double kWantedSeconds = 200e-6;  // of one timing; shorter nodes are copied until it is reached
constexpr double kMostCopies = 32;
constexpr std::size_t kProbes = 3;      // runs that tell how many copies to make
constexpr std::size_t kFrameEvery = 8;  // nodes between two timings of the empty frame
constexpr std::size_t kTrivialNodes = 64;
constexpr std::size_t kStreamBytes = 4 << 20;

/// Reads every cache line, which brings bytes into the caches.
void touch(std::span<const std::byte> bytes) {
  constexpr std::size_t kLine = 64;
  unsigned sum = 0;
  for (std::size_t i = 0; i < bytes.size(); i += kLine) sum += static_cast<unsigned>(bytes[i]);
  static std::atomic<unsigned> sink;  // so that the loop is not optimised away
  sink.store(sum, std::memory_order_relaxed);
}

/// What the runtime's own operators are, which the table does not know: convolutions, pools and reorderings of blocked
/// channels.
OperationClass class_of(const Node& node) {
  const OperationClass known = operation_class_of(node);
  if (known != OperationClass::opaque) return known;
  const auto named = [&](std::string_view part) { return node.op->name.find(part) != std::string::npos; };
  if (named("Conv")) return OperationClass::convolution;
  if (named("Pool")) return OperationClass::reduction;
  return named("Reorder") ? OperationClass::movement : OperationClass::opaque;
}

/// Operations of a node; those of a convolution the table does not know follow from the shapes of weights and result.
double flops_of(const Model& model, NodeId id) {
  const double known = node_cost(model.graph, id, model.opsets).value_or(NodeCost{}).flops;
  const Node& node = model.graph.node(id);
  if (known > 0 || class_of(node) != OperationClass::convolution || node.inputs.size() < 2 || !node.outputs[0].valid())
    return known;
  const Dim weights = element_count(model.graph.value(node.inputs[1]).type.shape);
  const Shape& result = model.graph.value(node.outputs[0]).type.shape;
  const Dim results = element_count(result);
  if (!weights.known() || !results.known() || result.size() < 2 || !result[1].known() || result[1].value() == 0)
    return 0;
  return 2.0 * static_cast<double>(results.value()) * static_cast<double>(weights.value()) /
         static_cast<double>(result[1].value());
}

/// Bytes of the constants that nodes read, each once: what one run of a graph brings into the caches.
double distinct_weight_bytes(const Graph& graph) {
  std::set<ValueId> constants;
  for (const NodeId id : graph.nodes())
    for (const ValueId input : graph.node(id).inputs)
      if (input.valid() && graph.value(input).constant) constants.insert(input);
  double bytes = 0;
  for (const ValueId id : constants) bytes += static_cast<double>(byte_size(graph.value(id).type).value_or(0));
  return bytes;
}

ProfiledNode describe_node(const Model& model, NodeId id) {
  const Node& node = model.graph.node(id);
  ProfiledNode profiled{.name = node.name,
                        .op = node.op->text(),
                        .config = node_config(model, id),
                        .operation_class = class_of(node),
                        .flops = flops_of(model, id)};
  const auto bytes_of = [&](ValueId value) {
    return value.valid() ? static_cast<double>(byte_size(model.graph.value(value).type).value_or(0)) : 0;
  };
  for (const ValueId input : node.inputs)
    (input.valid() && model.graph.value(input).constant ? profiled.weight_bytes : profiled.activation_bytes) +=
        bytes_of(input);
  for (const ValueId output : node.outputs) profiled.activation_bytes += bytes_of(output);
  return profiled;
}

/// With one thread, what else the machine does costs no processor time.
Clock clock_of(std::size_t threads) { return threads == 1 ? Clock::cpu : Clock::wall; }

}  // namespace

/// A model that is timed in every round.
struct GraphProfiler::Bench {
  Bench(const RuntimeHost& host, Isolated isolated, std::size_t copy_count, std::string config_text)
      : config(std::move(config_text)),
        copies(copy_count),
        weight_bytes(isolated.weight_bytes),
        inputs(std::move(isolated.inputs)),
        prepared(host.prepare_as_written(std::move(isolated.model))) {
    prepared->set_inputs(inputs);
  }

  void time() {
    first.push_back(time_once());
    again.push_back(time_once());
  }

  Sample time_once() const {
    for (const Datum& input : inputs) touch(input.tensor().bytes());
    const Stopwatch watch;
    prepared->run();
    return watch.stop();
  }

  /// How much longer the first runs took than the second ones.
  double cold_seconds(Clock clock) const {
    return std::max(0.0, median(undisturbed_seconds(first, clock)) - median(undisturbed_seconds(again, clock)));
  }

  std::string config;
  std::size_t copies = 1;
  double weight_bytes = 0;
  std::vector<Datum> inputs;
  std::unique_ptr<PreparedModel> prepared;
  std::vector<Sample> first, again;  // a round each
};

/// What a run costs besides its nodes, and a node besides its work when what the runtime keeps of it is cold.
struct GraphProfiler::Overheads {
  double frame_seconds = 0;       // of a warm run
  double cold_frame_seconds = 0;  // that a first run adds
  double cold_node_seconds = 0;   // that it adds for each node
  double cold_byte_seconds = 0;   // of reading what was not read since the last round
};

GraphProfiler::~GraphProfiler() = default;

GraphProfiler::GraphProfiler(const RuntimeHost& host, const ObservedGraph& graph, ProfileContext context,
                             const ProfileTable& known)
    : host_(host),
      context_(std::move(context)),
      known_before_(known),
      caches_(detect_processor().cache_bytes),
      stream_(kStreamBytes, 1) {
  frame_ = std::make_unique<Bench>(host, empty_frame(graph, 0), 1, "");
  trivial_ = std::make_unique<Bench>(host, empty_frame(graph, kTrivialNodes), kTrivialNodes, "");
  add(graph);
  weight_bytes_ = distinct_weight_bytes(graph.model.graph);
}

void GraphProfiler::add(const ObservedGraph& graph) {
  profiles_.emplace_back();
  for (const NodeId id : topological_order(graph.model.graph)) {
    ProfiledNode node = describe_node(graph.model, id);
    if (seen_.insert(node.config).second) {
      if (const auto timing = known_before_.find(context_, node.config)) known_.push_back(*timing);
      else add_bench(graph, id, node.config);
    }
    profiles_.back().nodes.push_back(std::move(node));
  }
  cold_bytes_.push_back(reread_bytes(graph.model.graph, caches_.size() > 1 ? caches_[1] : 1e6));
}

void GraphProfiler::add_bench(const ObservedGraph& graph, NodeId id, const std::string& config) {
  try {
    auto bench = std::make_unique<Bench>(host_, isolate(graph, id, 1), 1, config);
    double seconds = 1e9, frame = 1e9;
    for (std::size_t i = 0; i < kProbes; ++i) {
      seconds = std::min(seconds, bench->time_once().cpu_seconds);
      frame = std::min(frame, frame_->time_once().cpu_seconds);
    }
    const double copies = std::clamp(kWantedSeconds / std::max(seconds - frame, 1e-7), 1.0, kMostCopies);
    if (copies >= 2) {
      const auto count = static_cast<std::size_t>(copies);
      bench = std::make_unique<Bench>(host_, isolate(graph, id, count), count, config);
      bench->time_once();
    }
    benches_.push_back(std::move(bench));
  } catch (const InputError& error) {
    profiles_.back().untimed.push_back(config + ": " + error.what());
  }
}

/// The configurations that are timed one after another from here on: as many as have the weights of one graph.
std::size_t GraphProfiler::end_of_batch(std::size_t first) const {
  double bytes = benches_[first]->weight_bytes;
  std::size_t end = first + 1;
  while (end < benches_.size() && bytes + benches_[end]->weight_bytes <= weight_bytes_)
    bytes += benches_[end++]->weight_bytes;
  return end;
}

/// Streams as many bytes through the caches as a run of the graph would besides those of a batch.
void GraphProfiler::evict(double batch_bytes) {
  const double largest_cache = caches_.empty() ? 32e6 : caches_.back();
  eviction_.resize(static_cast<std::size_t>(std::clamp(weight_bytes_ - batch_bytes, 0.0, 2 * largest_cache)), 1);
  touch(std::as_bytes(std::span(eviction_)));
}

void GraphProfiler::round() {
  const Stopwatch watch;
  touch(std::as_bytes(std::span(stream_)));
  stream_samples_.push_back(watch.stop());
  const auto time_overheads = [this] {
    frame_->time();
    trivial_->time();
  };
  time_overheads();
  for (std::size_t first = 0, end = 0; first < benches_.size(); first = end) {
    end = end_of_batch(first);
    double bytes = 0;
    for (std::size_t i = first; i < end; ++i) bytes += benches_[i]->weight_bytes;
    // Where there are several batches, others have run since: so that all is as one run of the graph leaves it.
    if (end - first < benches_.size())
      for (std::size_t i = first; i < end; ++i) benches_[i]->time_once();
    evict(bytes);
    for (std::size_t i = first; i < end; ++i) {
      if (i % kFrameEvery == kFrameEvery - 1) time_overheads();
      benches_[i]->time();
    }
  }
}

std::vector<double> GraphProfiler::slowness() const {
  /// One configuration in one round.
  struct Share {
    double slowness, seconds;
  };
  const Clock clock = clock_of(context_.threads);
  std::vector<std::vector<Share>> rounds;
  for (const auto& bench : benches_) {
    const double usual = median(undisturbed_seconds(bench->again, clock));
    rounds.resize(bench->again.size());
    for (std::size_t round = 0; round < rounds.size(); ++round)
      rounds[round].push_back({seconds_of(bench->again[round], clock) / usual, usual});
  }
  std::vector<double> slowness;
  for (std::vector<Share>& shares : rounds) {
    std::ranges::sort(shares, {}, &Share::slowness);
    double rest = 0;
    for (const Share& share : shares) rest += share.seconds / 2;
    std::size_t middle = 0;
    while (rest > shares[middle].seconds) rest -= shares[middle++].seconds;
    slowness.push_back(shares[middle].slowness);
  }
  return slowness;
}

GraphProfiler::Overheads GraphProfiler::overheads() const {
  const Clock clock = clock_of(context_.threads);
  Overheads overheads{.frame_seconds = median(undisturbed_seconds(frame_->again, clock)),
                      .cold_frame_seconds = frame_->cold_seconds(clock)};
  overheads.cold_node_seconds =
      std::max(0.0, trivial_->cold_seconds(clock) - overheads.cold_frame_seconds) / static_cast<double>(kTrivialNodes);
  overheads.cold_byte_seconds =
      median(undisturbed_seconds(stream_samples_, clock)) / static_cast<double>(stream_.size());
  return overheads;
}

std::vector<double> GraphProfiler::warm_seconds(const Bench& bench, std::span<const double> slowness) const {
  std::vector<double> seconds = undisturbed_seconds(evened(bench.again, slowness), clock_of(context_.threads));
  std::ranges::sort(seconds);
  return seconds;
}

NodeTiming GraphProfiler::timing_of(const Bench& bench, std::span<const double> slowness,
                                    const Overheads& overheads) const {
  const auto copies = static_cast<double>(bench.copies);
  const double waited = std::max(0.0, bench.cold_seconds(clock_of(context_.threads)) - overheads.cold_frame_seconds -
                                          copies * overheads.cold_node_seconds);
  const double cold_seconds =
      overheads.cold_node_seconds + std::min(waited, bench.weight_bytes * overheads.cold_byte_seconds);
  std::vector<double> seconds = warm_seconds(bench, slowness);
  for (double& each : seconds) each = std::max(0.0, each - overheads.frame_seconds) / copies + cold_seconds;
  return {.context = context_,
          .config = bench.config,
          .seconds = quantile(seconds, 0.5),
          .p10 = quantile(seconds, 0.1),
          .p90 = quantile(seconds, 0.9),
          .samples = seconds.size()};
}

double GraphProfiler::uncertainty() const {
  std::map<std::string, double> count;
  for (const ProfiledNode& node : profiles_[0].nodes) ++count[node.config];
  double sum = 0, variance = 0;
  const std::vector<double> slow = slowness();
  for (const auto& bench : benches_) {
    const std::vector<double> seconds = warm_seconds(*bench, slow);
    if (seconds.empty()) return 1;
    // Half the width of the middle half is two thirds of a standard deviation.
    const double deviation = (quantile(seconds, 0.75) - quantile(seconds, 0.25)) / 1.35;
    const double runs = count[bench->config] / static_cast<double>(bench->copies);
    const double error = runs * deviation / std::sqrt(static_cast<double>(seconds.size()));
    sum += runs * quantile(seconds, 0.5);
    variance += error * error;
  }
  return sum > 0 ? std::sqrt(variance) / sum : 0;
}

std::vector<GraphProfile> GraphProfiler::finish_all(ProfileTable& table) const {
  std::vector<GraphProfile> profiles = profiles_;
  for (const NodeTiming& timing : known_) table.add(timing);
  const Overheads overheads = this->overheads();
  for (std::size_t i = 0; i < profiles.size(); ++i)
    profiles[i].frame_seconds =
        overheads.frame_seconds + overheads.cold_frame_seconds + cold_bytes_[i] * overheads.cold_byte_seconds;
  const std::vector<double> slow = slowness();
  for (const auto& bench : benches_) table.add(timing_of(*bench, slow, overheads));
  return profiles;
}

}  // namespace hone

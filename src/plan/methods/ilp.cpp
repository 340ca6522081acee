#include <algorithm>
#include <cmath>

#include "base/integer_program.h"
#include "plan/methods/load_state.h"
#include "plan/search/optimizer.h"

namespace hone {
namespace {

struct IlpParameters {
  std::int64_t most = 80;
  std::int64_t nodes = 100;

  Parameters list() {
    return Parameters()
        .add("most", &most, {1, 1e6},
             "choices times devices that are decided one by one; beyond, choices stay in blocks")
        .add("nodes", &nodes, {0, 1e9}, "nodes of the search tree");
  }
};

/// Choices that are to stay together, numbered without gaps.
struct Blocks {
  std::vector<std::size_t> of;  // by choice
  std::size_t count = 0;
};

/// Every choice by itself if that is few enough, else runs of an order that share a device already.
Blocks form_blocks(const LoadGraph& graph, const std::vector<std::uint32_t>& device_of, std::size_t most, Rng& rng) {
  Blocks blocks{.of = std::vector<std::size_t>(graph.size())};
  const std::size_t length = (graph.size() * graph.devices + most - 1) / most;
  const std::vector<std::uint32_t> order = order_choices(graph, Next::deepest, rng);
  std::size_t used = length;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (used >= length || device_of[order[i]] != device_of[order[i - 1]]) {
      ++blocks.count;
      used = 0;
    }
    blocks.of[order[i]] = blocks.count - 1;
    ++used;
  }
  return blocks;
}

/// The program: x[block, device] says where a block runs; above[net, device] is at least each x of its ends and
/// below[net, device] at most, so that their difference is whether the device has some but not all of them; the largest
/// load is minimised. Loads are in units of the largest load of the start.
class LoadProgram {
 public:
  LoadProgram(const LoadGraph& graph, const Blocks& blocks, const std::vector<std::uint32_t>& device_of)
      : graph_(graph),
        blocks_(blocks),
        device_of_block_(blocks.count),
        unit_(LoadState(graph, device_of).largest_load()) {
    for (std::size_t choice = 0; choice < graph.size(); ++choice)
      device_of_block_[blocks.of[choice]] = device_of[choice];
    largest_ = add({.high = 1e6, .price = 1}, 1);
    rows_.resize(graph.devices);
    held_.resize(graph.devices);
    add_blocks();
    for (std::size_t net = 0; net < graph.net_count(); ++net) add_net(net);
    for (std::size_t device = 0; device < graph.devices; ++device) {
      rows_[device].emplace_back(largest_, -1);
      program_.add_row(std::move(rows_[device]), -kEndless, 0);
      if (std::isfinite(graph.capacity_bytes[device]) && !held_[device].empty())
        program_.add_row(std::move(held_[device]), -kEndless, 1);
    }
  }

  struct Answer {
    std::vector<std::uint32_t> device_of;  // by choice; empty when there is none
    double bound = 0;                      // seconds
  };
  Answer solve(std::int64_t nodes) const {
    const bool fits = LoadState(graph_, placed(device_of_block_)).excess_bytes() == 0;
    const IntegerProgram::Outcome outcome = program_.solve(fits ? std::span(start_) : std::span<const double>(), nodes);
    Answer answer{.bound = outcome.bound * unit_};
    if (outcome.values.empty()) return answer;
    std::vector<std::uint32_t> device_of_block = device_of_block_;
    for (std::size_t block = 0; block < blocks_.count; ++block)
      for (std::size_t device = 0; device < graph_.devices; ++device)
        if (const int column = column_of(block, device);
            column >= 0 && outcome.values[static_cast<std::size_t>(column)] > 0.5)
          device_of_block[block] = static_cast<std::uint32_t>(device);
    answer.device_of = placed(device_of_block);
    return answer;
  }

 private:
  static constexpr double kEndless = std::numeric_limits<double>::infinity();

  int add(const IntegerProgram::Column& column, double start) {
    start_.push_back(start);
    return program_.add_column(column);
  }
  int column_of(std::size_t block, std::size_t device) const { return columns_[block * graph_.devices + device]; }

  std::vector<std::uint32_t> placed(const std::vector<std::uint32_t>& device_of_block) const {
    std::vector<std::uint32_t> device_of;
    for (const std::size_t block : blocks_.of) device_of.push_back(device_of_block[block]);
    return device_of;
  }

  void add_blocks() {
    std::vector<double> seconds(blocks_.count * graph_.devices), bytes(blocks_.count);
    for (std::size_t choice = 0; choice < graph_.size(); ++choice) {
      bytes[blocks_.of[choice]] += graph_.bytes[choice];
      for (std::size_t device = 0; device < graph_.devices; ++device)
        seconds[blocks_.of[choice] * graph_.devices + device] += graph_.seconds_on(choice, device);
    }
    columns_.assign(blocks_.count * graph_.devices, -1);
    for (std::size_t block = 0; block < blocks_.count; ++block) {
      IntegerProgram::Terms one;
      for (std::size_t device = 0; device < graph_.devices; ++device) {
        const double load = seconds[block * graph_.devices + device] / unit_;
        if (!std::isfinite(load)) continue;
        const int column = add({.kind = IntegerProgram::Kind::integer}, device_of_block_[block] == device ? 1 : 0);
        columns_[block * graph_.devices + device] = column;
        one.emplace_back(column, 1);
        if (load > 0) rows_[device].emplace_back(column, load);
        hold(device, column, bytes[block]);
      }
      program_.add_row(std::move(one), 1, 1);
    }
  }

  void hold(std::size_t device, int column, double bytes) {
    if (bytes > 0 && std::isfinite(graph_.capacity_bytes[device]))
      held_[device].emplace_back(column, bytes / std::max(1.0, graph_.capacity_bytes[device]));
  }

  void add_net(std::size_t net) {
    std::vector<std::size_t> ends;
    for (const std::uint32_t choice : graph_.ends[net]) ends.push_back(blocks_.of[choice]);
    std::ranges::sort(ends);
    ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
    for (std::size_t device = 0; device < graph_.devices; ++device) {
      const double seconds = graph_.is_host[device] != 0 ? 0 : graph_.net_seconds[net] / unit_;
      const bool held = graph_.net_bytes[net] > 0 && std::isfinite(graph_.capacity_bytes[device]);
      const bool moves = seconds > 0 && ends.size() > 1;
      if (!moves && !held) continue;
      const auto inside = std::ranges::count_if(ends, [&](std::size_t end) { return device_of_block_[end] == device; });
      const int above = add({}, inside > 0 ? 1 : 0);
      const int below = moves ? add({}, inside == static_cast<std::ptrdiff_t>(ends.size()) ? 1 : 0) : -1;
      for (const std::size_t end : ends) bracket(column_of(end, device), above, below);
      if (moves) rows_[device].insert(rows_[device].end(), {{above, seconds}, {below, -seconds}});
      hold(device, above, graph_.net_bytes[net]);
    }
  }

  /// below <= x <= above, where x is 0 for a block that cannot run there and below may be none.
  void bracket(int x, int above, int below) {
    if (x >= 0) program_.add_row({{above, 1}, {x, -1}}, 0, kEndless);
    if (below < 0) return;
    if (x >= 0) program_.add_row({{below, 1}, {x, -1}}, -kEndless, 0);
    else program_.add_row({{below, 1}}, -kEndless, 0);
  }

  const LoadGraph& graph_;
  const Blocks& blocks_;
  std::vector<std::uint32_t> device_of_block_;
  double unit_;
  IntegerProgram program_;
  std::vector<double> start_;                       // by column
  std::vector<int> columns_;                        // by block * devices + device; negative where it cannot run
  std::vector<IntegerProgram::Terms> rows_, held_;  // by device: load and bytes
  int largest_ = 0;
};

/// The least largest load (see DeviceLoads) as an integer program, solved with CBC from the best plan so far. On graphs
/// that are small enough for every choice to be free it proves a bound.
class Ilp final : public Optimizer {
 public:
  explicit Ilp(const IlpParameters& parameters) : parameters_(parameters) {}

  void run(Search& search) override {
    if (search.problem().objective.lead() != Measure::throughput) return;  // loads say too little of anything else
    const LoadGraph graph(search.problem());
    if (graph.devices < 2 || search.spent()) return;
    Rng rng = search.rng();
    const std::vector<std::uint32_t> start = graph.device_of(search.best_plan());
    if (!(LoadState(graph, start).largest_load() > 0)) return;
    const Blocks blocks = form_blocks(graph, start, static_cast<std::size_t>(parameters_.most), rng);
    const LoadProgram::Answer answer = LoadProgram(graph, blocks, start).solve(parameters_.nodes);
    if (!answer.device_of.empty())
      search.evaluate(search.task().encode(graph.plan(search.best_plan(), answer.device_of)));
    const bool exact =
        blocks.count == graph.size() && graph.is_exact && search.problem().objective == Objective::throughput;
    if (exact) search.prove(answer.bound * (1 - 1e-6));
  }

  Parameters parameters() override { return parameters_.list(); }

 private:
  IlpParameters parameters_;
};

const OptimizerKind ilp_kind = OptimizerKind::with_parameters<Ilp, IlpParameters>(
    "ilp", "least largest load by integer programming, exact on small graphs");

}  // namespace
}  // namespace hone

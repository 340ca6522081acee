#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/go/joint_ways.h"

namespace hone {

/// What a way came to, with one seed or in the mean of several.
struct JointOutcome {
  double seconds = 0, peak_bytes = 0;
};

/// All outcomes for one graph.
class JointRow {
 public:
  JointRow(std::span<const JointWay> ways, std::string graph, std::string machine, std::size_t operations)
      : ways_(ways), graph_(std::move(graph)), machine_(std::move(machine)), operations_(operations) {}

  const std::string& graph() const { return graph_; }
  /// One seed of a way.
  void set(std::size_t way, std::uint64_t seed, const JointOutcome& outcome) { outcomes_[way][seed] = outcome; }
  /// A joint plan under a limit of memory; it counts where it takes no longer than the best sequence.
  void add_within_memory(const JointOutcome& outcome);

  /// Mean over seeds; nothing when it did not run.
  std::optional<JointOutcome> mean(std::size_t way) const;
  /// The fastest of a kind, each by its mean.
  std::optional<JointOutcome> best(WayKind kind) const;
  /// The fastest of all that decide jointly, learned or not.
  std::optional<JointOutcome> best_joint() const;
  /// Percent of the peak of the best sequence that a joint plan needs which is as fast.
  std::optional<double> peak_percent() const;

  nlohmann::ordered_json json() const;

 private:
  std::span<const JointWay> ways_;
  std::string graph_, machine_;
  std::size_t operations_;
  std::map<std::size_t, std::map<std::uint64_t, JointOutcome>> outcomes_;  // by way and seed
  std::optional<double> least_peak_;
};

/// The figures that joint planning is judged by.
nlohmann::ordered_json joint_summary(std::span<const JointRow> rows, std::span<const JointWay> ways);

}  // namespace hone

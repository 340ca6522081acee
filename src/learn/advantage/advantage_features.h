#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "learn/advantage/decision_units.h"
#include "learn/advantage/kernels_around.h"
#include "learn/network/graph_input.h"

namespace hone {

/// Names what the columns mean. A policy that was trained on others is refused.
inline constexpr std::string_view kAdvantageSchema = "hone-advantage-1";
inline constexpr std::size_t kOperationColumns = 27, kCandidateColumns = 28;
/// Columns of candidates that policies start from: the advantage that the model of kernels sees, and its magnitude.
inline constexpr std::size_t kEstimateColumn = 0, kMagnitudeColumn = 1;

/// A decision as it might be instead.
struct DecisionChange {
  std::uint32_t unit = 0, option = 0;
};

/// sign(x) log(1 + |x|): labels and features come in all sizes, and both signs.
float signed_log(double value);

/// What a network sees of some candidates: the operations around them with the edges between these, and what each
/// candidate would change by itself.
struct AdvantageView {
  std::vector<std::uint32_t> operations;   // whose rows these are
  std::vector<float> operation_rows;       // of kOperationColumns
  FlatLists<std::uint32_t> before, after;  // by row: rows of what it reads, of what reads it
  std::vector<DecisionChange> candidates;
  std::vector<float> candidate_rows;       // of kCandidateColumns
  std::vector<std::uint32_t> own, reader;  // by candidate: rows of the operations that it is about

  GraphInput input() const { return {.nodes = operations.size(), .rows = operation_rows, .edges = {&before, &after}}; }
};

/// Makes views of decisions. Seconds are in units of `unit`, so that small graphs teach large ones.
class AdvantageFeatures {
 public:
  /// All must outlive it.
  AdvantageFeatures(const Problem& problem, const Task& task, const DecisionUnits& units, const Plan& start);

  /// From now on it speaks about these decisions.
  void set(std::span<const float> row);
  const Plan& plan() const { return plan_; }
  std::span<const float> row() const { return row_; }

  /// All candidates of some units that differ from what is decided, seen with the operations within `hops` reads.
  AdvantageView view(std::span<const std::uint32_t> units, std::size_t hops);

  /// The median of the advantages that can be seen before anything is evaluated, at the decisions it was first set to.
  double unit() const { return unit_; }

  KernelsAround& kernels() { return kernels_; }
  /// Seconds more that can be seen of a candidate.
  double estimate(const DecisionChange& candidate);

 private:
  struct Seen {
    double seconds = 0;
    bool is_possible = false, is_change = false;
  };
  Seen seen(const DecisionChange& candidate);
  Seen seen_of_group(const DecisionChange& candidate);
  Seen seen_of_device(const DecisionChange& candidate) const;
  double transfer_seconds(std::size_t operation, DeviceId device) const;
  bool all_reads_would_fuse(const DecisionChange& candidate) const;
  void find_loads();
  void find_unit();
  float scaled(double seconds) const { return signed_log(seconds / unit_); }
  void add_operation(std::uint32_t operation, std::vector<float>& rows) const;
  void add_candidate(const DecisionChange& candidate, std::vector<float>& rows);
  void add_access(const DecisionUnits::Unit& unit, std::vector<float>& rows) const;
  void add_edges(AdvantageView& view, std::span<const std::uint32_t> place) const;

  const Problem& problem_;
  const Task& task_;
  const DecisionUnits& units_;
  DeviceChoices choices_;
  KernelsAround kernels_;
  Decisions row_;
  Plan plan_;
  std::vector<double> loads_;         // by device: seconds of work
  double unit_ = 0;                   // 0: nothing was set yet
  std::vector<std::uint32_t> place_;  // by operation, while a view is made
};

}  // namespace hone

#include "bench/go/joint_results.h"

#include <algorithm>

#include "bench/planning/gains.h"
#include "bench/planning/interval.h"

namespace hone {
namespace {

using nlohmann::ordered_json;

std::optional<JointOutcome> faster(const std::optional<JointOutcome>& one, const std::optional<JointOutcome>& other) {
  if (!one || (other && other->seconds < one->seconds)) return other;
  return one;
}

ordered_json spread_of(const std::vector<GraphShare>& shares) {
  ordered_json figure = over_graphs(shares).json();
  figure["worst"] = least_part(shares);
  return figure;
}

}  // namespace

void JointRow::add_within_memory(const JointOutcome& outcome) {
  const std::optional<JointOutcome> sequence = best(WayKind::sequence);
  if (!sequence || outcome.seconds > sequence->seconds) return;
  least_peak_ = std::min(least_peak_.value_or(outcome.peak_bytes), outcome.peak_bytes);
}

std::optional<JointOutcome> JointRow::best(WayKind kind) const {
  std::optional<JointOutcome> found;
  for (const auto& [way, outcomes] : outcomes_)
    if (ways_[way].kind == kind) found = faster(found, mean(way));
  return found;
}

std::optional<JointOutcome> JointRow::mean(std::size_t way) const {
  const auto found = outcomes_.find(way);
  if (found == outcomes_.end()) return std::nullopt;
  JointOutcome mean;
  const auto seeds = static_cast<double>(found->second.size());
  for (const auto& [seed, outcome] : found->second) {
    mean.seconds += outcome.seconds / seeds;
    mean.peak_bytes += outcome.peak_bytes / seeds;
  }
  return mean;
}

std::optional<JointOutcome> JointRow::best_joint() const { return faster(best(WayKind::joint), best(WayKind::go)); }

std::optional<double> JointRow::peak_percent() const {
  const std::optional<JointOutcome> sequence = best(WayKind::sequence), joint = best_joint();
  if (!sequence || !joint) return std::nullopt;
  double least = least_peak_.value_or(sequence->peak_bytes);
  if (joint->seconds <= sequence->seconds) least = std::min(least, joint->peak_bytes);
  return 100 * least / sequence->peak_bytes;
}

ordered_json JointRow::json() const {
  ordered_json row{{"graph", graph_}, {"machine", machine_}, {"operations", operations_}};
  for (const auto& [way, outcomes] : outcomes_) row[ways_[way].name] = mean(way)->seconds;
  if (const std::optional<double> percent = peak_percent()) row["peak_percent"] = *percent;
  return row;
}

ordered_json joint_summary(std::span<const JointRow> rows, std::span<const JointWay> ways) {
  std::vector<GraphShare> over_default, over_sequence, over_foreseen, peaks;
  for (const JointRow& row : rows) {
    const std::optional<JointOutcome> joint = row.best_joint(), standard = row.best(WayKind::standard),
                                      sequence = row.best(WayKind::sequence);
    if (!joint || !standard || !sequence) continue;
    over_default.push_back({.part = percent_below(joint->seconds, standard->seconds)});
    over_sequence.push_back({.part = percent_below(joint->seconds, sequence->seconds)});
    if (const std::optional<JointOutcome> foreseen = row.best(WayKind::foreseen))
      over_foreseen.push_back({.part = percent_below(joint->seconds, foreseen->seconds)});
    if (const std::optional<double> percent = row.peak_percent()) peaks.push_back({.part = *percent});
  }
  if (peaks.empty()) return ordered_json::object();
  ordered_json summary{{"joint_over_default_percent", spread_of(over_default)},
                       {"joint_over_sequence_percent", spread_of(over_sequence)},
                       {"joint_peak_percent", over_graphs(peaks).json()}};
  if (!over_foreseen.empty()) summary["joint_over_foreseen_percent"] = spread_of(over_foreseen);
  // What each way by itself brings over the default.
  for (std::size_t way = 0; way < ways.size(); ++way) {
    std::vector<GraphShare> shares;
    for (const JointRow& row : rows) {
      const std::optional<JointOutcome> mean = row.mean(way), standard = row.best(WayKind::standard);
      if (mean && standard) shares.push_back({.part = percent_below(mean->seconds, standard->seconds)});
    }
    if (!shares.empty() && ways[way].kind != WayKind::standard)
      summary["over_default_percent"][ways[way].name] = over_graphs(shares).json();
  }
  return summary;
}

}  // namespace hone

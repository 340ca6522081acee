#pragma once

#include <string>
#include <vector>

#include "base/random.h"
#include "learn/advantage/advantage_data.h"
#include "learn/advantage/advantage_features.h"
#include "learn/policy/training_request.h"
#include "learn/train/trainer.h"

namespace hone::learn {

/// One configuration of a graph: what a network sees of the decisions that were tried there, and what came of each.
struct AdvantageExample {
  AdvantageView view;
  std::vector<float> labels;           // by candidate: sign(a) log(1 + |a| / median of the graph)
  std::vector<std::uint32_t> largest;  // candidates whose magnitude is among the largest tenth of their graph
};

/// Labelled decisions of the user's graphs, drawn into the folder `examples` of the run. Every eighth configuration is
/// kept apart, to see how good predictions are.
class AdvantageExamples final : public ExampleSource<AdvantageExample> {
 public:
  AdvantageExamples(const TrainingRequest& request, std::vector<Workload> workloads);

  std::string fingerprint() const override { return fingerprint_; }
  void prepare() override;
  std::size_t size() const override { return examples_.size(); }
  AdvantageExample& at(std::size_t index) const override { return *examples_[index]; }
  const std::vector<std::unique_ptr<AdvantageExample>>& apart() const { return apart_; }

  /// Candidates of an example to learn from: half the time one of the largest, else any. The paper, which predicts
  /// magnitudes, draws nine of ten from the largest; signs of small advantages are then learned less well.
  static std::vector<std::int64_t> draw(const AdvantageExample& example, std::size_t count, Rng& rng);

 private:
  std::vector<std::unique_ptr<AdvantageExample>> examples_of(const AdvantageData& data) const;

  TrainingRequest request_;
  std::string fingerprint_;
  std::vector<Workload> workloads_;  // until they are prepared
  std::vector<std::unique_ptr<AdvantageExample>> examples_, apart_;
};

}  // namespace hone::learn

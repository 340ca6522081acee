// HDP: Mirhoseini, Goldie, Pham, Steiner, Le, Dean, "A hierarchical model for device placement", ICLR 2018. Learned on
// the graph itself: a network puts operations into groups, another one groups on devices; both by REINFORCE, with the
// root of the time as what is to become small. Of every grouping that is drawn a batch of placements is evaluated,
// since drawing one for 50,000 operations takes longer than evaluating a plan.

#include <algorithm>
#include <cmath>

#include "learn/train/adam.h"
#include "learn/train/hdp_grouper.h"
#include "learn/train/hdp_placer.h"
#include "learn/train/placement_trial.h"
#include "plan/search/optimizer.h"

namespace hone::learn {
namespace {

struct HdpParameters {
  std::int64_t groups = 0;
  std::int64_t width = 64;
  std::int64_t batch = 40;
  double rate = 0.01;
  double decay = 1;
  double average = 0.9;
  double entropy = 0;
  std::int64_t standardised = 0;

  Parameters list() {
    return Parameters()
        .add("groups", &groups, {0, 4096}, "of operations; 0: 20 for every device, 256 at most")
        .add("width", &width, {1, 4096}, "of the recurrent networks")
        .add("batch", &batch, {1, 1e4}, "placements of a step")
        .add("rate", &rate, {1e-6, 1}, "how far a step goes")
        .add("decay", &decay, {0.01, 1}, "what is left of the rate after 400 steps")
        .add("average", &average, {0, 0.999}, "how much of the mean reward is that of earlier steps")
        .add("entropy", &entropy, {0, 100}, "what keeping choices open is worth; published: nothing")
        .add("standardised", &standardised, {0, 1}, "1: rewards of a step by their deviation; published: 0");
  }
};

/// One run: networks, and what they are compared with.
class HdpRun {
 public:
  HdpRun(Search& search, const HdpParameters& parameters)
      : search_(search),
        parameters_(parameters),
        trial_(search),
        graph_(search.problem()),
        weights_(search.rng().split(1)),
        grouper_(graph_, group_count(), weights_),
        placer_({grouper_.embedding_width(), static_cast<std::int64_t>(trial_.devices()), parameters.width}, weights_),
        rng_(search.rng()) {}

  void run() {
    while (!search_.spent()) {
      if (!step()) return;
      ++steps_;
    }
  }

 private:
  std::int64_t group_count() const {
    if (parameters_.groups > 0) return parameters_.groups;
    return std::min<std::int64_t>(256, 20 * static_cast<std::int64_t>(trial_.devices()));
  }

  /// Draws, evaluates and learns once; false when the budget is spent.
  bool step() {
    const torch::Tensor group_chances = grouper_.log_chances();
    const std::vector<std::int64_t> group_of = drawn_columns(group_chances, rng_);
    const HdpPlacer::Drawn drawn = placer_.draw(grouper_.embedding(group_of), parameters_.batch, rng_);
    const std::vector<double> values = trial_.values(rows_of(group_of, drawn.devices));
    if (values.size() < drawn.devices.size()) return false;
    torch::Tensor worth = torch::sqrt(torch::tensor(values, torch::kFloat32));
    const double mean = worth.mean().item<double>();
    if (steps_ == 0) average_ = mean;
    worth = worth - average_;
    average_ = parameters_.average * average_ + (1 - parameters_.average) * mean;
    if (parameters_.standardised == 1) worth = worth / worth.std().clamp_min(kLeastDeviation);
    const auto groups = static_cast<double>(grouper_.groups());
    // What is likely counts as worse, which keeps placements open.
    const torch::Tensor likely = drawn.log_chances.detach() / groups;
    const torch::Tensor placing = worth + parameters_.entropy * (likely - likely.mean());
    const torch::Tensor chosen = torch::tensor(group_of).unsqueeze(1);
    const torch::Tensor grouping = group_chances.gather(1, chosen).mean();
    // What is worse than usual becomes less likely.
    const torch::Tensor loss = (placing * drawn.log_chances).mean() / groups + worth.mean() * grouping;
    loss.backward();
    adam_.step(weights_.all(), parameters_.rate * std::pow(parameters_.decay, static_cast<double>(steps_) / 400));
    return true;
  }

  Decisions rows_of(const std::vector<std::int64_t>& group_of,
                    const std::vector<std::vector<std::int64_t>>& devices) const {
    Decisions rows;
    std::vector<std::uint32_t> device_of(group_of.size());
    for (const std::vector<std::int64_t>& sample : devices) {
      for (std::size_t i = 0; i < group_of.size(); ++i)
        device_of[i] = static_cast<std::uint32_t>(sample[static_cast<std::size_t>(group_of[i])]);
      const Decisions row = trial_.row(device_of);
      rows.insert(rows.end(), row.begin(), row.end());
    }
    return rows;
  }

  static constexpr double kLeastDeviation = 1e-4;

  Search& search_;
  const HdpParameters& parameters_;
  PlacementTrial trial_;
  GraphView graph_;
  DrawnWeights weights_;
  HdpGrouper grouper_;
  HdpPlacer placer_;
  Rng rng_;
  Adam adam_;
  double average_ = 0;
  std::int64_t steps_ = 0;
};

class Hdp final : public Optimizer {
 public:
  explicit Hdp(const HdpParameters& parameters) : parameters_(parameters) {}

  void run(Search& search) override {
    if (search.problem().workload.operation_count() == 0 || !PlacementTrial(search).decides_devices()) return;
    const OneThread one_thread;
    HdpRun(search, parameters_).run();
  }
  Parameters parameters() override { return parameters_.list(); }

 private:
  HdpParameters parameters_;
};

const OptimizerKind hdp_kind = OptimizerKind::with_parameters<Hdp, HdpParameters>(
    "hdp", "learns groups of operations and their devices on the graph itself (Mirhoseini et al., 2018)");

}  // namespace
}  // namespace hone::learn

// Placeto: Addanki, Bojja Venkatakrishnan, Gupta, Mao, Alizadeh, "Learning generalizable device placement algorithms
// for distributed machine learning", NeurIPS 2019. Learned on the graph itself: an episode goes through all nodes and
// moves each to the device that a network says, given where all others are; what a move brings is its reward. Nodes are
// clusters of operations, as in the paper, so that an episode takes some dozen evaluations and not as many as there are
// operations.

#include <algorithm>
#include <cmath>
#include <deque>

#include "learn/train/adam.h"
#include "learn/train/placement_trial.h"
#include "learn/train/placeto_network.h"
#include "plan/search/optimizer.h"

namespace hone::learn {
namespace {

struct PlacetoParameters {
  std::int64_t nodes = 64;
  std::int64_t width = 32;
  std::int64_t rounds = 4;
  double rate = 0.003;
  double last_rate = 0.0003;
  double entropy = 0.03;
  double from_best = 0.5;

  Parameters list() {
    return Parameters()
        .add("nodes", &nodes, {1, 4096}, "clusters of operations that are moved as one")
        .add("width", &width, {1, 4096}, "of the network")
        .add("rounds", &rounds, {1, 64}, "of messages along the graph, each way")
        .add("rate", &rate, {1e-6, 1}, "how far a step goes at first")
        .add("last_rate", &last_rate, {0, 1}, "and at the end of the budget")
        .add("entropy", &entropy, {0, 10}, "what it is worth to keep trying other devices; falls to nothing")
        .add("from_best", &from_best, {0, 1},
             "chance that an episode begins with the best plan and not with the start");
  }
};

class PlacetoRun {
 public:
  PlacetoRun(Search& search, const PlacetoParameters& parameters)
      : search_(search),
        parameters_(parameters),
        trial_(search),
        graph_(search.problem()),
        clusters_(graph_, static_cast<std::size_t>(parameters.nodes)),
        weights_(search.rng().split(1)),
        network_(graph_, clusters_, {static_cast<std::int64_t>(trial_.devices()), parameters.width, parameters.rounds},
                 weights_),
        rng_(search.rng()),
        first_(devices_of(trial_.best_devices())) {}

  void run() {
    while (!search_.spent() && play()) learn();
  }

 private:
  static constexpr std::size_t kEpisodes = 10;  // that a step is compared with

  /// By cluster: the device of its last operation.
  std::vector<std::int64_t> devices_of(const std::vector<std::uint32_t>& device_of) const {
    std::vector<std::int64_t> devices(clusters_.count);
    for (std::size_t i = 0; i < device_of.size(); ++i) devices[clusters_.cluster_of[i]] = device_of[i];
    return devices;
  }

  std::optional<double> value_of(const std::vector<std::int64_t>& devices) {
    std::vector<std::uint32_t> device_of;
    for (const std::uint32_t cluster : clusters_.cluster_of)
      device_of.push_back(static_cast<std::uint32_t>(devices[cluster]));
    const std::vector<double> values = trial_.values(trial_.row(device_of));
    return values.empty() ? std::nullopt : std::optional(values.front());
  }

  /// One episode; false when the budget was spent before its end.
  bool play() {
    states_.clear();
    chosen_.clear();
    rewards_.clear();
    PlacetoNetwork::State state{.devices = rng_.uniform() < parameters_.from_best && !best_.empty() ? best_ : first_};
    std::optional<double> before = value_of(state.devices);
    const torch::NoGradGuard no_gradient;
    for (; before && state.moved < network_.nodes(); ++state.moved) {
      states_.push_back(state);
      const std::int64_t device = drawn_columns(network_.log_chances(std::span(&state, 1)), rng_).front();
      chosen_.push_back(device);
      std::int64_t& here = state.devices[static_cast<std::size_t>(state.moved)];
      const bool stays = here == device;
      here = device;
      const std::optional<double> after = stays ? before : value_of(state.devices);
      if (!after) return false;
      rewards_.push_back(*before - *after);
      before = after;
      if (*after < best_value_) {
        best_value_ = *after;
        best_ = state.devices;
      }
    }
    return before.has_value();
  }

  /// What each step of the episode led to, beyond what that step led to in earlier episodes.
  std::vector<float> advantages() {
    std::vector<double> sums(rewards_.size());
    double sum = 0;
    for (std::size_t i = rewards_.size(); i-- > 0;) sums[i] = sum += rewards_[i];
    std::vector<float> advantages;
    double squares = 0;
    for (std::size_t i = 0; i < sums.size(); ++i) {
      double usual = 0;
      for (const std::vector<double>& episode : past_) usual += episode[i] / static_cast<double>(past_.size());
      advantages.push_back(static_cast<float>(sums[i] - usual));
      squares += advantages.back() * advantages.back();
    }
    const auto spread = static_cast<float>(std::sqrt(squares / static_cast<double>(sums.size())) + 1e-9);
    for (float& advantage : advantages) advantage /= spread;
    past_.push_back(std::move(sums));
    if (past_.size() > kEpisodes) past_.pop_front();
    return advantages;
  }

  void learn() {
    const double left = 1 - std::min(1.0, search_.share_spent());
    const bool compares = !past_.empty();
    const torch::Tensor worth = torch::tensor(advantages());
    if (!compares) return;  // the first episode has nothing to be compared with
    const torch::Tensor log_chances = network_.log_chances(states_);
    const torch::Tensor taken = log_chances.gather(1, torch::tensor(chosen_).unsqueeze(1)).squeeze(1);
    const torch::Tensor entropy = -(log_chances * log_chances.exp()).sum(1).mean();
    const torch::Tensor loss = -(worth * taken).mean() - parameters_.entropy * left * entropy;
    loss.backward();
    adam_.step(weights_.all(), parameters_.last_rate + (parameters_.rate - parameters_.last_rate) * left);
  }

  Search& search_;
  const PlacetoParameters& parameters_;
  PlacementTrial trial_;
  GraphView graph_;
  OperationClusters clusters_;
  DrawnWeights weights_;
  PlacetoNetwork network_;
  Rng rng_;
  Adam adam_;
  std::vector<std::int64_t> first_, best_;
  double best_value_ = PlacementTrial::kFailed;
  std::vector<PlacetoNetwork::State> states_;  // of the episode
  std::vector<std::int64_t> chosen_;
  std::vector<double> rewards_;
  std::deque<std::vector<double>> past_;  // by earlier episode and step: what it led to
};

class Placeto final : public Optimizer {
 public:
  explicit Placeto(const PlacetoParameters& parameters) : parameters_(parameters) {}

  void run(Search& search) override {
    if (search.problem().workload.operation_count() == 0 || !PlacementTrial(search).decides_devices()) return;
    const OneThread one_thread;
    PlacetoRun(search, parameters_).run();
  }
  Parameters parameters() override { return parameters_.list(); }

 private:
  PlacetoParameters parameters_;
};

const OptimizerKind placeto_kind = OptimizerKind::with_parameters<Placeto, PlacetoParameters>(
    "placeto", "learns on the graph itself to move one node after another (Addanki et al., 2019)");

}  // namespace
}  // namespace hone::learn

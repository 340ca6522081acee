// Trains the network that says which moves improve a plan: supervised, since every move that is offered can be tried.
// The network for making plans stays what it is in the policy that is started from.

#include <fmt/format.h>

#include <limits>

#include "base/interrupt.h"
#include "base/thread_pool.h"
#include "learn/policy/plan_sampler.h"
#include "learn/train/adam.h"
#include "learn/train/checkpoint.h"
#include "learn/train/first_policy.h"
#include "learn/train/move_examples.h"

namespace hone::learn {
namespace {

constexpr std::size_t kMostPlans = 48;  // of one graph that a step learns from

const PolicyKind::Part& move_part(const PolicyKind& kind) { return kind.parts().back(); }

class MoveTrainer final : public Trainer {
 public:
  MoveTrainer(const TrainingRequest& request, const TrainingData& data)
      : request_(request),
        first_(first_contents(request)),
        kind_(as_plan_policy(policy_kind_in(first_, request.start))),
        spec_(move_part(kind_).describe(shape_in(first_, move_part(kind_).describe({}).prefix, request.start))),
        plans_(kind_.parts().front().describe(shape_in(first_, "", request.start)), first_, "policy"),
        network_(spec_, first_, "policy"),
        graphs_(request, data.workloads()) {
    network_.move_to(device_named(request.device));
  }

  Examples& examples() override { return graphs_; }

  std::optional<StepReport> step(std::uint64_t done) override {
    const Rng rng = Rng(request_.seed).split(done);
    Rng lots = rng;
    std::vector<const TrainingGraph*> chosen;
    std::vector<GraphInput> inputs;
    for (std::size_t i = 0; i < request_.graphs; ++i) {
      chosen.push_back(&graphs_.at(lots.below(graphs_.size())));
      inputs.push_back(chosen.back()->input());
    }
    const Batch batch = make_batch(inputs);
    const torch::Tensor weights = network_.forward(batch);
    const auto offers = collect(chosen, batch, weights, rng);
    if (interrupted()) return std::nullopt;  // walks ended early, which no other run would learn from
    MoveExamples examples;
    for (std::size_t i = 0; i < offers.size(); ++i)
      for (std::size_t k = 0; k < std::min(kMostPlans, offers[i].size()); ++k)
        examples.add(offers[i][k * offers[i].size() / std::min(kMostPlans, offers[i].size())], batch.first[i]);
    constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
    double hits = kUnknown, blind_hits = kUnknown;
    if (examples.count() > 0) {
      const MoveExamples::Loss loss = examples.loss(weights);
      loss.total.backward();
      adam_.step(network_.parameters(), request_.rate);
      hits = loss.hits;
      blind_hits = examples.blind_hits();
      note(done, hits, blind_hits);
    }
    return StepReport{
        .figures = {{"hits", hits}, {"blind_hits", blind_hits}},
        .line = fmt::format("of the moves picked {:.4f} help, of all {:.4f}", mean_hits_, mean_blind_hits_)};
  }

  Safetensors policy(std::uint64_t done) const override {
    Safetensors policy = network_.save();
    policy.arrays.insert(first_.arrays.begin(), first_.arrays.end());  // those about making plans
    policy.metadata = first_.metadata;                                 // likewise
    policy.metadata["moves_metrics"] =
        fmt::format("steps={} hits={:.4f} blind_hits={:.4f}", done, mean_hits_, mean_blind_hits_);
    return policy;
  }

  Safetensors state() const override {
    Safetensors state = adam_.save();
    put_network(network_, state);
    state.metadata["hits"] = fmt::format("{:.17g}", mean_hits_);
    state.metadata["blind_hits"] = fmt::format("{:.17g}", mean_blind_hits_);
    return state;
  }

  void load(const Safetensors& state) override {
    adam_.load(state);
    network_ = network_in(state, spec_);
    network_.move_to(device_named(request_.device));
    mean_hits_ = number_in(state, "hits");
    mean_blind_hits_ = number_in(state, "blind_hits");
  }

 private:
  /// The policy to go on from, with a network for moves that is drawn anew.
  static Safetensors first_contents(const TrainingRequest& request) {
    NetworkShape shape{
        .width = request.width, .rounds = request.rounds, .encoder = &EncoderKind::named(request.encoder)};
    if (request.start.empty())
      return as_plan_policy(PolicyKind::named(request.head)).draw_networks(shape, request.seed + 1);
    Safetensors start = usable_policy(request.start);
    shape.encoder = shape_in(start, "", request.start).encoder;  // of both networks
    const NetworkSpec moves = move_part(as_plan_policy(policy_kind_in(start, request.start))).describe(shape);
    std::erase_if(start.arrays, [&](const auto& entry) { return entry.first.starts_with(moves.prefix); });
    draw_arrays(moves, request.seed + 1, start);
    return start;
  }

  /// Half of all walks start where nothing is decided, half from a plan that the policy draws.
  std::vector<std::vector<Offers>> collect(const std::vector<const TrainingGraph*>& chosen, const Batch& batch,
                                           const torch::Tensor& weights, const Rng& rng) const {
    std::vector<std::vector<Offers>> offers(chosen.size());
    ThreadPool pool(request_.threads);
    pool.for_each(chosen.size(), [&](std::size_t, std::size_t i) {
      const TrainingGraph& graph = *chosen[i];
      const MoveWeights own{to_array(batch.rows_of(weights, i)).values};
      Rng lots = rng.split(i + 1);
      Plan start = undecided_plan(graph.problem);
      if (lots.uniform() < 0.5) {
        const std::unique_ptr<PlanMaker> maker = kind_.make_maker(graph.view);
        start = plan_of(maker->build(plan_weights(plans_, graph.input()), graph.first, 1, lots), std::move(start));
      }
      offers[i] = collect_offers(graph, own, start, lots.split(0));
    });
    return offers;
  }

  void note(std::uint64_t done, double hits, double blind_hits) {
    constexpr double kMemory = 0.95;
    const double old = done == 0 ? 0 : kMemory;
    mean_hits_ = old * mean_hits_ + (1 - old) * hits;
    mean_blind_hits_ = old * mean_blind_hits_ + (1 - old) * blind_hits;
  }

  TrainingRequest request_;
  Safetensors first_;  // what learning starts from
  const PlanPolicyKind& kind_;
  NetworkSpec spec_;
  Network plans_;
  TorchNetwork network_;
  WorkloadExamples graphs_;
  Adam adam_;
  double mean_hits_ = 0, mean_blind_hits_ = 0;
};

const TrainerKind guided_moves("guided-moves", {.family = "guided", .prefix = "moves_"}, {FirstNetwork::drawn},
                               make_trainer<MoveTrainer>);

}  // namespace
}  // namespace hone::learn

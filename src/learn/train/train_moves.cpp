#include "learn/train/train_moves.h"

#include <fmt/format.h>

#include <limits>

#include "base/interrupt.h"
#include "base/thread_pool.h"
#include "learn/policy/plan_sampler.h"
#include "learn/train/checkpoint.h"
#include "learn/train/first_rule.h"
#include "learn/train/move_lessons.h"
#include "learn/train/reinforce.h"

namespace hone::learn {
namespace {

constexpr std::size_t kMostPlans = 48;  // of one graph that a step learns from

class MoveTrainer {
 public:
  MoveTrainer(const TrainingRequest& request, TrainingRun& run, std::vector<std::unique_ptr<TrainingGraph>> graphs)
      : request_(request),
        run_(run),
        graphs_(std::move(graphs)),
        first_(first_contents(request)),
        network_(first_, PolicyNetwork::Purpose::moves) {
    if (run.checkpoint()) resume(*run.checkpoint());
    network_.move_to(device_named(request.device));
  }

  void run() {
    run_.train({.step = [this] { step(); }, .save = [this] { save(); }});
  }

 private:
  static Safetensors first_contents(const TrainingRequest& request) {
    NetworkShape shape = shape_of(request);
    if (request.start.empty()) return untrained_networks(shape, request.seed + 1);
    Safetensors start = usable_policy(request.start);
    shape.encoder = encoder_of(start, request.start);  // of both networks
    std::erase_if(start.arrays, [](const auto& entry) { return entry.first.starts_with(kMovePrefix); });
    start.arrays.merge(untrained_networks(shape, request.seed + 1).arrays);
    return start;
  }

  void step() {
    const Rng rng = Rng(request_.seed).split(run_.step());
    std::vector<const TrainingGraph*> chosen;
    std::vector<const GraphView*> views;
    std::vector<const Features*> features;
    Rng lots = rng;
    for (std::size_t i = 0; i < request_.graphs; ++i) {
      chosen.push_back(graphs_[lots.below(graphs_.size())].get());
      views.push_back(&chosen.back()->view);
      features.push_back(&chosen.back()->features);
    }
    const Batch batch = make_batch(views, features);
    const torch::Tensor weights = network_.weights(batch);
    const auto offers = collect(chosen, batch, weights, rng);
    if (interrupted()) return;  // walks ended early, which no other run would learn from
    MoveLessons lessons;
    for (std::size_t i = 0; i < offers.size(); ++i)
      for (std::size_t k = 0; k < std::min(kMostPlans, offers[i].size()); ++k)
        lessons.add(offers[i][k * offers[i].size() / std::min(kMostPlans, offers[i].size())], batch.first[i]);
    constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
    double hits = kUnknown, blind_hits = kUnknown;
    if (lessons.count() > 0) {
      const MoveLessons::Loss loss = lessons.loss(weights);
      loss.total.backward();
      adam_.step(network_.parameters(), request_.rate);
      hits = loss.hits;
      blind_hits = lessons.blind_hits();
      note(hits, blind_hits);
    }
    const EventFile::Scalar figures[] = {{"hits", hits}, {"blind_hits", blind_hits}};
    run_.end_step(figures, fmt::format("of the moves picked {:.4f} help, of all {:.4f}", mean_hits_, mean_blind_hits_));
  }

  /// Half of all walks start where nothing is decided, half from a plan that the policy draws.
  std::vector<std::vector<Offers>> collect(const std::vector<const TrainingGraph*>& chosen, const Batch& batch,
                                           const torch::Tensor& weights, const Rng& rng) const {
    const Network plans(first_, "", kSights, "policy");
    const Head head = head_of(first_, "policy");
    std::vector<std::vector<Offers>> offers(chosen.size());
    ThreadPool pool(request_.threads);
    pool.for_each(chosen.size(), [&](std::size_t, std::size_t i) {
      const TrainingGraph& graph = *chosen[i];
      const auto rows = static_cast<std::int64_t>(graph.view.operations());
      const torch::Tensor own = weights.detach().slice(0, batch.first[i], batch.first[i] + rows);
      Rng lots = rng.split(i + 1);
      Plan start = undecided_plan(graph.problem);
      if (lots.uniform() < 0.5) {
        Taste taste{.weights = plans.weights(graph.view, graph.features)};
        std::ranges::copy(first_.arrays.at("wait").values, taste.wait.begin());
        const std::unique_ptr<PlanMaker> maker = make_plan_maker(head, graph.view);
        start = plan_of(maker->build(taste, graph.first, 1, lots), std::move(start));
      }
      offers[i] = collect_offers(graph, {to_array(own).values}, start, lots.split(0));
    });
    return offers;
  }

  void note(double hits, double blind_hits) {
    constexpr double kMemory = 0.95;
    const double old = run_.step() == 0 ? 0 : kMemory;
    mean_hits_ = old * mean_hits_ + (1 - old) * hits;
    mean_blind_hits_ = old * mean_blind_hits_ + (1 - old) * blind_hits;
  }

  void save() const {
    Safetensors policy = network_.save();
    Safetensors state = adam_.save();
    put_network(policy, state);
    policy.arrays.insert(first_.arrays.begin(), first_.arrays.end());  // those about making plans
    policy.metadata = first_.metadata;                                 // likewise
    policy.metadata["moves_metrics"] =
        fmt::format("steps={} hits={:.4f} blind_hits={:.4f}", run_.step(), mean_hits_, mean_blind_hits_);
    state.metadata["hits"] = fmt::format("{:.17g}", mean_hits_);
    state.metadata["blind_hits"] = fmt::format("{:.17g}", mean_blind_hits_);
    run_.save(std::move(policy), std::move(state));
  }

  void resume(const Safetensors& state) {
    adam_.load(state);
    network_ = network_in(state, first_, PolicyNetwork::Purpose::moves);
    mean_hits_ = number_in(state, "hits");
    mean_blind_hits_ = number_in(state, "blind_hits");
  }

  TrainingRequest request_;
  TrainingRun& run_;
  std::vector<std::unique_ptr<TrainingGraph>> graphs_;
  Safetensors first_;  // what learning starts from
  PolicyNetwork network_;
  Adam adam_;
  double mean_hits_ = 0, mean_blind_hits_ = 0;
};

}  // namespace

void train_moves(const TrainingRequest& request, TrainingRun& run, std::vector<std::unique_ptr<TrainingGraph>> graphs) {
  MoveTrainer(request, run, std::move(graphs)).run();
}

}  // namespace hone::learn

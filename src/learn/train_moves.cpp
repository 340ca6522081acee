#include "learn/train_moves.h"

#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/thread_pool.h"
#include "base/timer.h"
#include "learn/first_rule.h"
#include "learn/move_lessons.h"
#include "learn/reinforce.h"
#include "policy/plan_sampler.h"

namespace hone::learn {
namespace {

constexpr std::size_t kMostPlans = 48;  // of one graph that a step learns from

class MoveTrainer {
 public:
  explicit MoveTrainer(const TrainingRequest& request)
      : request_(request),
        graphs_(load_training_graphs(request)),
        first_(first_contents(request)),
        network_(first_, PolicyNetwork::Purpose::moves) {
    std::filesystem::create_directories(request.out);
    if (std::filesystem::exists(checkpoint())) resume(read_safetensors(checkpoint()));
  }

  void run() {
    network_.move_to(device_named(request_.device));
    const Timer timer;
    std::ofstream log(request_.out / "progress.csv", step_ == 0 ? std::ios::trunc : std::ios::app);
    if (step_ == 0) log << "step,seconds,hits,blind_hits\n";
    while (step_ < request_.steps && timer.seconds() < request_.seconds && !interrupted()) {
      step();
      ++step_;
      log << fmt::format("{},{:.1f},{:.5f},{:.5f}\n", step_, timer.seconds(), hits_, blind_hits_) << std::flush;
      if (step_ % request_.save_every != 0) continue;
      fmt::print(stderr, "step {}, {:.0f} s: of the moves picked {:.4f} help, of all {:.4f}\n", step_, timer.seconds(),
                 mean_hits_, mean_blind_hits_);
      save();
    }
    save();
  }

 private:
  static Safetensors first_contents(const TrainingRequest& request) {
    NetworkShape shape = shape_of(request);
    if (request.start.empty()) return untrained_networks(shape, request.seed + 1);
    Safetensors start = read_safetensors(request.start);
    shape.encoder = encoder_of(start, request.start);  // of both networks
    std::erase_if(start.arrays, [](const auto& entry) { return entry.first.starts_with(kMovePrefix); });
    start.arrays.merge(untrained_networks(shape, request.seed + 1).arrays);
    return start;
  }

  std::filesystem::path checkpoint() const { return request_.out / "checkpoint.safetensors"; }

  void step() {
    const Rng rng = Rng(request_.seed).split(step_);
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
    MoveLessons lessons;
    for (std::size_t i = 0; i < offers.size(); ++i)
      for (std::size_t k = 0; k < std::min(kMostPlans, offers[i].size()); ++k)
        lessons.add(offers[i][k * offers[i].size() / std::min(kMostPlans, offers[i].size())], batch.first[i]);
    if (lessons.count() == 0) return;
    const MoveLessons::Loss loss = lessons.loss(weights);
    loss.total.backward();
    adam_.step(network_.parameters(), request_.rate);
    note(loss.hits, lessons.blind_hits());
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
      const auto rows = static_cast<std::int64_t>(graph.view.works());
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
    const double old = step_ == 0 ? 0 : kMemory;
    hits_ = hits;
    blind_hits_ = blind_hits;
    mean_hits_ = old * mean_hits_ + (1 - old) * hits;
    mean_blind_hits_ = old * mean_blind_hits_ + (1 - old) * blind_hits;
  }

  void save() const {
    Safetensors policy = network_.save();
    Safetensors state = adam_.save();
    for (const auto& [name, array] : policy.arrays) state.arrays["network." + name] = array;
    policy.arrays.insert(first_.arrays.begin(), first_.arrays.end());  // those about making plans
    policy.metadata = first_.metadata;                                 // likewise
    if (!policy.metadata["command"].empty()) policy.metadata["command"] += " && ";
    policy.metadata["command"] += request_.command;
    policy.metadata["method"] = "regal";
    policy.metadata["schema"] = std::string(kFeatureSchema);
    policy.metadata["objective"] = request_.objective;
    policy.metadata["moves_data"] = fmt::format("{}", fmt::join(request_.data, " "));
    policy.metadata["moves_metrics"] =
        fmt::format("steps={} hits={:.4f} blind_hits={:.4f}", step_, mean_hits_, mean_blind_hits_);
    policy.metadata["licence"] = "that of hone";
    write_safetensors(request_.out / "policy.safetensors", policy);
    state.metadata["step"] = std::to_string(step_);
    state.metadata["hits"] = fmt::format("{:.17g}", mean_hits_);
    state.metadata["blind_hits"] = fmt::format("{:.17g}", mean_blind_hits_);
    write_safetensors(checkpoint(), state);
  }

  void resume(const Safetensors& state) {
    adam_.load(state);
    Safetensors contents{.metadata = first_.metadata};
    for (const auto& [name, array] : state.arrays)
      if (name.starts_with("network.")) contents.arrays[name.substr(8)] = array;
    network_ = PolicyNetwork(contents, PolicyNetwork::Purpose::moves);
    step_ = std::stoull(state.metadata.at("step"));
    mean_hits_ = std::stod(state.metadata.at("hits"));
    mean_blind_hits_ = std::stod(state.metadata.at("blind_hits"));
  }

  TrainingRequest request_;
  std::vector<std::unique_ptr<TrainingGraph>> graphs_;
  Safetensors first_;  // what learning starts from
  PolicyNetwork network_;
  Adam adam_;
  std::uint64_t step_ = 0;
  double hits_ = 0, blind_hits_ = 0, mean_hits_ = 0, mean_blind_hits_ = 0;
};

}  // namespace

void train_moves(const TrainingRequest& request) { MoveTrainer(request).run(); }

}  // namespace hone::learn

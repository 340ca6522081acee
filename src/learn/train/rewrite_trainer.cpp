// Learns which rewrite to take next, by PPO over episodes on many models: our policy and X-RLflow's.

#include <algorithm>
#include <bit>

#include "base/error.h"
#include "base/hash.h"
#include "base/interrupt.h"
#include "base/thread_pool.h"
#include "graph/clean/clean.h"
#include "graph/ir/structural_hash.h"
#include "graph/ops/infer.h"
#include "learn/policy/card.h"
#include "learn/rewrite/graph_prices.h"
#include "learn/train/first_policy.h"
#include "learn/train/rewrite_ppo.h"
#include "plan/machine/machine_file.h"
#include "rewrite/worth/graph_time.h"

namespace hone::learn {
namespace {

constexpr std::size_t kTrainingHorizon = 24;

/// A model that is rewritten, with what graphs made of it are paid by.
class RewriteExample {
 public:
  /// Either may be null: what was fitted to measured rewrites, and prices that were learned on other graphs.
  RewriteExample(const Model& model, const GraphTime* time, const GraphPrices* prices)
      : model_(prepared(model)),
        nodes_(load_machine("cpu-gpu"), model_.opsets),
        space_(model_, Matcher(select_rules("all"), RuleSetting::of(model_)), nodes_) {
    if (time != nullptr) pricing_ = std::make_unique<LearnedPricing>(space_, *time);
    else if (prices != nullptr) pricing_ = std::make_unique<StatePrices>(model_, *prices);
    else pricing_ = std::make_unique<SummedPricing>();
  }

  const RewriteSpace& space() const { return space_; }
  const GraphPricing& pricing() const { return *pricing_; }

 private:
  static Model prepared(Model model) {
    infer_types(model);
    clean(model);
    infer_types(model);
    return model;
  }

  Model model_;
  RooflinePricing nodes_;
  RewriteSpace space_;
  std::unique_ptr<GraphPricing> pricing_;
};

class RewriteExamples final : public Examples {
 public:
  explicit RewriteExamples(const TrainingData& data) : time_(data.graph_time) {
    if (!data.models) fail_usage("policies of rewriting are trained on models");
    models_ = data.models();
  }

  std::string fingerprint() const override {
    std::uint64_t hash = models_.size();
    for (const auto& model : models_) hash = mix(hash, structural_hash(model->graph));
    for (std::size_t i = 0; i < kTimeParts && time_; ++i)
      hash = mix(hash, std::bit_cast<std::uint64_t>(time_->weight(static_cast<TimePart>(i))));
    return fmt::format("{:016x}", hash);
  }
  void prepare() override {
    for (const auto& model : models_) {
      if (interrupted()) return;
      auto example = std::make_unique<RewriteExample>(*model, time_.get(), prices_ ? &*prices_ : nullptr);
      if (!example->space().options(*example->space().start()).empty()) examples_.push_back(std::move(example));
    }
    if (examples_.empty()) fail("none of the {} models offers a rewrite to learn from", models_.size());
  }

  std::size_t size() const { return examples_.size(); }
  const RewriteExample& at(std::size_t i) const { return *examples_[i]; }

 private:
  std::shared_ptr<const GraphTime> time_;
  std::optional<GraphPrices> prices_ = GraphPrices::first_builtin();
  std::vector<std::shared_ptr<const Model>> models_;
  std::vector<std::unique_ptr<RewriteExample>> examples_;
};

class RewriteTrainer final : public Trainer {
 public:
  RewriteTrainer(const TrainingRequest& request, const TrainingData& data)
      : request_(request),
        first_(first_policy(request, as_rewrite_policy)),
        examples_(data),
        learner_(first_, {.rate = request.rate, .entropy = request.entropy}, device_named(request.device)) {}

  Examples& examples() override { return examples_; }

  std::optional<StepReport> step(std::uint64_t done) override {
    const Rng rng = Rng(request_.seed).split(done);
    std::vector<RewriteEpisode> episodes = draw(rng);
    if (interrupted()) return std::nullopt;
    double saved = 0, length = 0;
    for (const RewriteEpisode& episode : episodes) {
      saved += episode.saved_percent / static_cast<double>(episodes.size());
      length += static_cast<double>(episode.steps.size()) / static_cast<double>(episodes.size());
    }
    Rng order = rng.split(UINT64_MAX);
    const RewritePpo::Report report = learner_.learn(episodes, order);
    const auto batches = static_cast<double>(std::max<std::size_t>(1, report.batches));
    constexpr double kMemory = 0.9;
    mean_saved_ = done == 0 ? saved : kMemory * mean_saved_ + (1 - kMemory) * saved;
    return StepReport{.figures = {{"saved_percent", saved},
                                  {"length", length},
                                  {"entropy", report.entropy / batches},
                                  {"value_error", report.value_error / batches},
                                  {"divergence", report.divergence / batches}},
                      .line = fmt::format("episodes save {:.2f} % on the mean in {:.1f} steps, entropy {:.2f}",
                                          mean_saved_, length, report.entropy / batches)};
  }

  Safetensors policy(std::uint64_t done) const override {
    Safetensors policy = learner_.contents();
    policy.metadata["metrics"] = fmt::format("steps={} saved_percent={:.3f}", done, mean_saved_);
    if (&as_rewrite_policy(policy_kind_in(policy, "policy")) == &xrlflow_policy()) {  // whose slots make a large file
      for (auto& [name, array] : policy.arrays) keep_in_half(array);
      seal(policy);
    }
    return policy;
  }

  Safetensors state() const override {
    Safetensors state = learner_.state();
    state.metadata["saved"] = fmt::format("{:.17g}", mean_saved_);
    return state;
  }
  void load(const Safetensors& state) override {
    learner_.load(state);
    mean_saved_ = number_in(state, "saved");
  }

 private:
  /// Episodes side by side; which model each is about and what it draws depends on its number alone.
  std::vector<RewriteEpisode> draw(const Rng& rng) const {
    const Policy policy(learner_.contents(), "policy");
    std::vector<std::size_t> models;
    Rng choice = rng.split(0);
    for (std::size_t i = 0; i < request_.graphs; ++i) models.push_back(choice.below(examples_.size()));
    std::vector<RewriteEpisode> episodes(models.size() * request_.samples);
    ThreadPool pool(request_.threads);
    pool.for_each(episodes.size(), [&](std::size_t, std::size_t i) {
      if (interrupted()) return;
      const RewriteExample& example = examples_.at(models[i / request_.samples]);
      RewriteEnvironment environment(example.space(), example.pricing(), {.horizon = kTrainingHorizon});
      Rng own = rng.split(i + 1);
      episodes[i] = draw_episode(environment, example.space(), policy, kTrainingHorizon, own);
    });
    return episodes;
  }

  TrainingRequest request_;
  Safetensors first_;
  RewriteExamples examples_;
  RewritePpo learner_;
  double mean_saved_ = 0;
};

const TrainerKind hone_rewrite_trainer("hone-rewrite", {.family = "hone-rewrite", .prefix = ""},
                                       {FirstNetwork::of_start, "messages", "rewrite"}, make_trainer<RewriteTrainer>);
const TrainerKind xrlflow_trainer("xrlflow", {.family = "xrlflow", .prefix = ""},
                                  {FirstNetwork::of_start, "messages", "xrlflow"}, make_trainer<RewriteTrainer>);

}  // namespace
}  // namespace hone::learn

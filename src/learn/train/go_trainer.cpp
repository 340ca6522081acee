// GO's training: chains of plans are drawn for some graphs, and decisions after which chains of the same graph came to
// less than others become likelier.

#include <cmath>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/thread_pool.h"
#include "learn/policy/go_tuning.h"
#include "learn/train/checkpoint.h"
#include "learn/train/first_policy.h"
#include "learn/train/go_examples.h"

namespace hone::learn {
namespace {

constexpr std::size_t kTrainingPasses = 9;  // refinements of a chain
constexpr const char* kNoRefinement = "refinement";
constexpr double kAnneal = 100;             // steps after which keeping choices open is worth half

class GoTrainer final : public Trainer {
 public:
  GoTrainer(const TrainingRequest& request, const TrainingData& data)
      : request_(request),
        first_(first_policy_of(request)),
        examples_(request, data.workloads()),
        learner_(first_, device_named(request.device),
                 {.rate = request.rate, .entropy = request.entropy, .threads = request.threads}) {}

  Examples& examples() override { return examples_; }

  std::optional<StepReport> step(std::uint64_t done) override {
    Rng rng = Rng(request_.seed).split(done);
    std::vector<const GoExample*> drawn;
    for (std::size_t i = 0; i < request_.graphs; ++i) drawn.push_back(&examples_.at(rng.below(examples_.size())));
    const std::vector<GoLesson> lessons = draw_lessons(drawn, rng);
    if (interrupted()) return std::nullopt;
    learner_.set_entropy(request_.entropy / (1 + static_cast<double>(done) / kAnneal));
    last_ = {};
    last_.entropy = learner_.learn(lessons, rng);
    for (std::size_t i = 0; i < lessons.size(); ++i) add_progress(lessons[i], drawn[i]->standard);
    return StepReport{
        .figures = {{"first_ratio", last_.first},
                    {"ratio", last_.ratio},
                    {"best_ratio", last_.best},
                    {"entropy", last_.entropy}},
        .line = fmt::format(
            "chains begin at {:.4f} of the standard's and end at {:.4f}, the best at {:.4f}, entropy {:.3f}",
            last_.first, last_.ratio, last_.best, last_.entropy)};
  }

  Safetensors policy(std::uint64_t done) const override {
    Safetensors policy = learner_.contents();
    policy.metadata["metrics"] =
        fmt::format("steps={} ratio={:.4f} best_of_{}={:.4f}", done, last_.ratio, request_.samples, last_.best);
    policy.metadata[kGoAboutEntry] = request_.algorithm == kGoAboutPasses ? kGoAboutPasses : "everything";
    return policy;
  }

  Safetensors state() const override { return learner_.state(); }
  void load(const Safetensors& state) override { learner_.load(state); }

 private:
  /// What chains come to, as shares of what a search without a policy does.
  struct Progress {
    double first = 0, ratio = 0, best = 0, entropy = 0;
  };

  static Safetensors first_policy_of(const TrainingRequest& request) {
    Safetensors first = first_policy(request, as_go_policy);
    if (!request.without.empty()) first.metadata[kGoWithoutEntry] = request.without;
    return first;
  }

  std::vector<GoLesson> draw_lessons(const std::vector<const GoExample*>& drawn, const Rng& rng) const {
    const Safetensors contents = learner_.contents();
    const Policy policy(contents, "policy");
    const GoNetwork network(policy);
    std::vector<GoLesson> lessons(drawn.size());
    std::vector<std::vector<float>> embedded(drawn.size());
    const std::size_t passes = request_.without == kNoRefinement ? 0 : kTrainingPasses;
    ThreadPool pool(request_.threads);
    pool.for_each(drawn.size(), [&](std::size_t, std::size_t i) {
      lessons[i] = {&drawn[i]->graph, std::vector<std::vector<GoStep>>(request_.samples)};
      embedded[i] = network.encode(drawn[i]->view, drawn[i]->graph.features);
    });
    pool.for_each(drawn.size() * request_.samples, [&](std::size_t, std::size_t k) {
      if (interrupted()) return;
      const std::size_t i = k / request_.samples;
      const std::unique_ptr<Evaluator> cost = drawn[i]->cost.fork();
      Plan plan = drawn[i]->start;
      Rng own = rng.split(k);
      const auto trace = [&](const Decisions& row) {
        drawn[i]->task->apply(row, plan);
        return cost->trace(plan);
      };
      lessons[i].chains[k % request_.samples] =
          draw_chain(drawn[i]->graph, network, embedded[i], trace, passes, own);
    });
    return lessons;
  }

  void add_progress(const GoLesson& lesson, double standard) {
    double best = INFINITY;
    const auto share = 1 / static_cast<double>(request_.graphs * request_.samples);
    for (const std::vector<GoStep>& chain : lesson.chains) {
      double reached = INFINITY;
      for (const GoStep& step : chain)
        if (step.after.excess == 0) reached = std::min(reached, step.after.value);
      if (!std::isfinite(reached)) continue;
      best = std::min(best, reached);
      if (chain.front().after.excess == 0) last_.first += share * chain.front().after.value / standard;
      last_.ratio += share * reached / standard;
    }
    if (std::isfinite(best)) last_.best += best / standard / static_cast<double>(request_.graphs);
  }

  TrainingRequest request_;
  Safetensors first_;
  GoExamples examples_;
  GoLearner learner_;
  Progress last_;
};

const TrainerKind go("go", {.family = "go", .prefix = ""}, {FirstNetwork::of_start, "graphsage", "go"},
                     make_trainer<GoTrainer>);

}  // namespace
}  // namespace hone::learn

// Learns what single decisions are worth from labelled decisions of other graphs: "Learning local advantage functions
// for generalizable graph optimizations", 2021. Supervised, offline.

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "learn/advantage/advantage_policy.h"
#include "learn/train/adam.h"
#include "learn/train/advantage_examples.h"
#include "learn/train/advantage_network.h"
#include "learn/train/checkpoint.h"
#include "learn/train/first_policy.h"

namespace hone::learn {
namespace {

TrainingRequest with_tasks(TrainingRequest request) {
  if (request.tasks.empty()) request.tasks = "fuse-edges";
  return request;
}

const PolicyKind& as_advantage_policy(const PolicyKind& kind) {
  if (&kind != &advantage_policy()) fail_usage("hone train advantage trains policies of the kind 'advantage'");
  return kind;
}

class AdvantageTrainer final : public Trainer {
 public:
  AdvantageTrainer(const TrainingRequest& request, const TrainingData& data)
      : request_(with_tasks(request)),
        first_(first_policy(request_, as_advantage_policy)),
        network_(first_, request.start),
        examples_(request_, data.workloads()) {
    if (request.device != "cpu") fail_usage("hone train advantage works on the processor alone: --device cpu");
  }

  Examples& examples() override { return examples_; }

  std::optional<StepReport> step(std::uint64_t done) override {
    Rng rng = Rng(request_.seed).split(done);
    std::vector<const AdvantageExample*> chosen;
    std::vector<std::vector<std::int64_t>> drawn;
    for (std::size_t i = 0; i < request_.graphs; ++i) {
      chosen.push_back(&examples_.at(rng.below(examples_.size())));
      drawn.push_back(AdvantageExamples::draw(*chosen.back(), request_.samples, rng));
    }
    const torch::Tensor loss = network_.loss(chosen, drawn);
    loss.backward();
    std::map<std::string, torch::Tensor> parameters = network_.parameters();
    adam_.step(parameters, request_.rate);
    constexpr double kMemory = 0.98;
    const double old = done == 0 ? 0 : kMemory;
    mean_loss_ = old * mean_loss_ + (1 - old) * loss.item<double>();
    return StepReport{.figures = {{"loss", loss.item<double>()}},
                      .line = fmt::format("loss {:.4f} on the mean", mean_loss_)};
  }

  Safetensors policy(std::uint64_t done) const override {
    Safetensors policy = network_.save();
    policy.metadata = first_.metadata;
    const AdvantageCalibration found = network_.calibration(examples_.apart());
    policy.metadata["tasks"] = request_.tasks;
    policy.metadata["metrics"] =
        fmt::format("steps={} loss={:.4f} explained={:.3f} large={:.3f} sign={:.3f} samples={}", done, mean_loss_,
                    found.explained, found.large, found.sign, found.samples);
    return policy;
  }

  Safetensors state() const override {
    Safetensors state = adam_.save();
    network_.put(state);
    state.metadata["loss"] = fmt::format("{:.17g}", mean_loss_);
    return state;
  }

  void load(const Safetensors& state) override {
    adam_.load(state);
    network_.take(state);
    mean_loss_ = number_in(state, "loss");
  }

 private:
  TrainingRequest request_;
  Safetensors first_;  // what learning starts from
  AdvantageNetwork network_;
  AdvantageExamples examples_;
  Adam adam_;
  double mean_loss_ = 0;
};

const TrainerKind advantage_trainer("advantage", {.family = "advantage", .prefix = ""},
                                    {FirstNetwork::of_start, "messages", "advantage"}, make_trainer<AdvantageTrainer>);

}  // namespace
}  // namespace hone::learn

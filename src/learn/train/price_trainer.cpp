// Learns what nodes take where they stand, from what rewriting whole models was measured to bring: prices of a graph's
// nodes add up, and what counts is by how much the sums of a model and of its rewrites differ.

#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.h"
#include "base/hash.h"
#include "base/interrupt.h"
#include "graph/clean/clean.h"
#include "graph/ops/infer.h"
#include "learn/policy/card.h"
#include "learn/rewrite/graph_prices.h"
#include "learn/train/adam.h"
#include "learn/train/batch.h"
#include "learn/train/first_policy.h"
#include "learn/train/torch_network.h"
#include "rewrite/search/everywhere.h"
#include "rewrite/worth/measured_gains.h"

namespace hone::learn {
namespace {

constexpr std::uint64_t kHeldOutOf = 6;    // one model in so many is not learned from
constexpr double kSharp = 0.05;            // differences beyond this count by their size, not its square
constexpr double kCertain = 0.02;          // standard error from which on a measurement counts less
constexpr double kWholeImportance = 0.02;  // of what a model takes, beside what its rewrites differ by
constexpr double kUsefulShare = 0.5;       // of what can be gained, below which a runtime's prices are not offered
constexpr double kSmallestGain = 0.005;    // that is taken
constexpr double kHalvedAfter = 400;       // steps until the rate is halved

const PolicyKind& as_price_policy(const PolicyKind& kind) {
  if (&kind != &price_policy()) fail_usage("a policy of kind '{}' does not say what nodes take", kind.name());
  return kind;
}

/// A model with its rewrites as the network sees them, and what was measured of them on one runtime or several.
struct PriceExample {
  struct Gain {
    std::size_t graph, runtime;
    double log_ratio, error;
  };
  std::string name;
  std::vector<RewriteScene> graphs;       // the original first
  std::map<std::size_t, double> seconds;  // of the original, by runtime
  std::vector<Gain> gains;
};

class PriceExamples final : public Examples {
 public:
  explicit PriceExamples(const TrainingData& data) : measured_(data.gains()), model_named_(data.model) {
    for (const MeasuredGains& each : measured_) runtimes_.push_back(each.runtime);
    std::ranges::sort(runtimes_);
    runtimes_.erase(std::ranges::unique(runtimes_).begin(), runtimes_.end());
  }

  std::string fingerprint() const override {
    std::uint64_t hash = 0;
    for (const MeasuredGains& each : measured_) hash = mix(hash, hash_text(each.model + each.runtime));
    return fmt::format("{:016x}", hash);
  }

  void prepare() override {
    std::map<std::string, std::vector<const MeasuredGains*>> by_model;
    for (const MeasuredGains& each : measured_)
      if (place_of(each.runtime) < kPricedRuntimes && each.seconds > 0) by_model[each.model].push_back(&each);
    for (const auto& [name, found] : by_model) {
      if (interrupted()) return;
      PriceExample example = made(name, found);
      (hash_text(name) % kHeldOutOf == 0 ? held_out_ : learned_).push_back(std::move(example));
    }
    if (learned_.empty()) fail("no rewrites were measured: `hone bench rewrite-gain --db` measures some");
  }

  /// In the order of their names.
  const std::vector<std::string>& runtimes() const { return runtimes_; }
  const std::vector<PriceExample>& learned() const { return learned_; }
  const std::vector<PriceExample>& held_out() const { return held_out_; }

 private:
  std::size_t place_of(const std::string& runtime) const {
    return static_cast<std::size_t>(std::ranges::find(runtimes_, runtime) - runtimes_.begin());
  }

  PriceExample made(const std::string& name, const std::vector<const MeasuredGains*>& found) const {
    PriceExample example{.name = name, .graphs = {}, .seconds = {}, .gains = {}};
    Model start = *model_named_(name);
    infer_types(start);
    clean(start);
    infer_types(start);
    example.graphs.push_back(price_scene(start));
    std::map<std::vector<std::string>, std::size_t> places;
    for (const MeasuredGains* each : found) {
      const std::size_t runtime = place_of(each->runtime);
      example.seconds[runtime] = each->seconds;
      for (const MeasuredGain& gain : each->gains) {
        const auto [place, is_new] = places.try_emplace(gain.steps, example.graphs.size());
        if (is_new) example.graphs.push_back(scene_after(start, gain.steps));
        example.gains.push_back({place->second, runtime, gain.log_ratio, gain.error});
      }
    }
    return example;
  }

  static RewriteScene scene_after(Model model, const std::vector<std::string>& steps) {
    std::vector<std::string> options;
    for (const std::string& step : steps) {
      if (is_priced_option(step)) {
        options.push_back(step);
      } else {
        apply_everywhere(model, select_rules(step), {});
        infer_types(model);
      }
    }
    return price_scene(model, options);
  }

  std::vector<MeasuredGains> measured_;
  std::function<std::shared_ptr<const Model>(const std::string&)> model_named_;
  std::vector<std::string> runtimes_;
  std::vector<PriceExample> learned_, held_out_;
};

class PriceTrainer final : public Trainer {
 public:
  PriceTrainer(const TrainingRequest& request, const TrainingData& data)
      : request_(request), first_(first_policy(request, as_price_policy)), examples_(data), network_(made(first_)) {
    if (request.device != "cpu") fail_usage("prices are trained on the processor alone: --device cpu");
  }

  Examples& examples() override { return examples_; }

  std::optional<StepReport> step(std::uint64_t done) override {
    Rng rng = Rng(request_.seed).split(done);
    std::vector<const PriceExample*> batch;
    for (std::size_t i = 0; i < request_.graphs; ++i)
      batch.push_back(&examples_.learned()[rng.below(examples_.learned().size())]);
    torch::Tensor loss = loss_of(batch);
    loss.backward();
    adam_.step(network_.parameters(), request_.rate * std::exp2(-static_cast<double>(done) / kHalvedAfter));
    const double value = loss.item<double>();
    constexpr std::uint64_t kLookEvery = 50;
    if (done % kLookEvery == kLookEvery - 1 || shares_.empty()) shares_ = shares();
    StepReport report{.figures = {{"loss", value}}, .line = fmt::format("loss {:.3f}; of what can be gained:", value)};
    for (std::size_t i = 0; i < examples_.runtimes().size() && i < kPricedRuntimes; ++i) {
      report.figures.push_back({"share_" + examples_.runtimes()[i], shares_[i]});
      report.line += fmt::format(" {} {:.2f}", examples_.runtimes()[i], shares_[i]);
    }
    return report;
  }

  Safetensors policy(std::uint64_t done) const override {
    Safetensors policy = network_.save();
    policy.metadata = first_.metadata;
    const std::vector<double> found = shares();
    policy.metadata["metrics"] = fmt::format("steps={} held_out_models={} shares={:.3f}", done,
                                             examples_.held_out().size(), fmt::join(found, ","));
    for (std::size_t i = 0; i < examples_.runtimes().size() && i < kPricedRuntimes; ++i)
      if (found[i] >= kUsefulShare) policy.metadata[priced_runtime_key(i)] = examples_.runtimes()[i];
    seal(policy);
    return policy;
  }

  Safetensors state() const override {
    Safetensors state = adam_.save();
    for (auto& [name, array] : network_.save().arrays) state.arrays[name] = array;
    return state;
  }
  void load(const Safetensors& state) override {
    adam_.load(state);
    Safetensors contents = state;
    contents.metadata = first_.metadata;
    network_ = made(contents);
  }

 private:
  static TorchNetwork made(const Safetensors& contents) {
    const PolicyKind::Part& part = price_policy().parts().front();
    return {part.describe(shape_in(contents, part.describe({}).prefix, "policy")), contents, "policy"};
  }

  /// Logarithms of what graphs take: a row a graph, a column a runtime.
  torch::Tensor times(const std::vector<const RewriteScene*>& scenes) const {
    std::vector<GraphInput> inputs;
    std::vector<std::int64_t> graph_of;
    for (std::size_t i = 0; i < scenes.size(); ++i) {
      inputs.push_back(scenes[i]->input());
      graph_of.insert(graph_of.end(), scenes[i]->nodes, static_cast<std::int64_t>(i));
    }
    const Batch batch = make_batch(inputs);
    const torch::Tensor prices =
        (network_.forward(batch) + batch.features.matmul(network_.free(kPriceRule).t())).clamp_max(20).exp();
    const torch::Tensor sums = torch::zeros({static_cast<std::int64_t>(scenes.size()), prices.size(1)})
                                   .index_add(0, torch::tensor(graph_of, torch::kLong), prices);
    return (sums + network_.free(kPriceFrame).exp()).log();
  }

  torch::Tensor loss_of(const std::vector<const PriceExample*>& batch) const {
    std::vector<const RewriteScene*> scenes;
    std::vector<std::int64_t> starts;
    for (const PriceExample* example : batch) {
      starts.push_back(static_cast<std::int64_t>(scenes.size()));
      for (const RewriteScene& scene : example->graphs) scenes.push_back(&scene);
    }
    const torch::Tensor found = times(scenes);
    torch::Tensor loss = torch::zeros({});
    double count = 0;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const auto at = [&](std::size_t graph, std::size_t runtime) {
        return found[starts[i] + static_cast<std::int64_t>(graph)][static_cast<std::int64_t>(runtime)];
      };
      for (const PriceExample::Gain& gain : batch[i]->gains) {
        const torch::Tensor off = at(gain.graph, gain.runtime) - at(0, gain.runtime) - gain.log_ratio;
        const double importance = 1 / (1 + std::pow(gain.error / kCertain, 2));
        loss = loss + importance * kSharp * ((off / kSharp).pow(2) + 1).sqrt();
        count += importance;
      }
      for (const auto& [runtime, seconds] : batch[i]->seconds)
        loss = loss + kWholeImportance * (at(0, runtime) - std::log(seconds / kPriceUnit)).pow(2);
    }
    return loss / std::max(1.0, count);
  }

  /// By runtime: of the best rewrite measured of each model held out, the share that the best by prices has of its
  /// gain, in logarithms.
  std::vector<double> shares() const {
    const torch::NoGradGuard guard;
    std::vector<double> taken(kPricedRuntimes), best(kPricedRuntimes);
    for (const PriceExample& example : examples_.held_out()) {
      std::vector<const RewriteScene*> scenes;
      for (const RewriteScene& scene : example.graphs) scenes.push_back(&scene);
      const torch::Tensor found = times(scenes);
      for (const auto& [runtime, seconds] : example.seconds) {
        const auto column = static_cast<std::int64_t>(runtime);
        double least = found[0][column].item<double>() - kSmallestGain, its_gain = 0, most = 0;
        for (const PriceExample::Gain& gain : example.gains) {
          if (gain.runtime != runtime) continue;
          most = std::max(most, -gain.log_ratio);
          const double time = found[static_cast<std::int64_t>(gain.graph)][column].item<double>();
          if (time >= least) continue;
          least = time;
          its_gain = -gain.log_ratio;
        }
        taken[runtime] += its_gain;
        best[runtime] += most;
      }
    }
    for (std::size_t i = 0; i < taken.size(); ++i) taken[i] = best[i] > 0 ? taken[i] / best[i] : 1;
    return taken;
  }

  TrainingRequest request_;
  Safetensors first_;
  PriceExamples examples_;
  TorchNetwork network_;
  Adam adam_;
  std::vector<double> shares_;
};

const TrainerKind price_trainer("hone-prices", {.family = "hone-prices", .prefix = ""},
                                {FirstNetwork::of_start, "messages", "prices"}, make_trainer<PriceTrainer>);

}  // namespace
}  // namespace hone::learn

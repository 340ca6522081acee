// REGAL's training: choices about genes are drawn for some graphs, the genetic algorithm searches under each of them,
// and what made it come to less than under other choices for the same graph becomes likelier.

#include <algorithm>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/thread_pool.h"
#include "learn/policy/gene_anchors.h"
#include "learn/train/adam.h"
#include "learn/train/checkpoint.h"
#include "learn/train/decision_examples.h"
#include "learn/train/first_policy.h"
#include "learn/train/gene_loss.h"
#include "learn/train/training_graph.h"

namespace hone::learn {
namespace {

class GeneTrainer final : public Trainer {
 public:
  GeneTrainer(const TrainingRequest& request, const TrainingData& data)
      : request_(request),
        first_(first_policy(request, as_gene_policy)),
        kind_(as_gene_policy(policy_kind_in(first_, request.start))),
        spec_(kind_.parts().front().describe(shape_in(first_, "", request.start))),
        network_(spec_, first_, "policy"),
        graphs_(request, data.workloads()) {
    if (request.algorithm != "reinforce") fail_usage("hone train regal learns by reinforce alone");
    network_.move_to(device_named(request.device));
  }

  Examples& examples() override { return graphs_; }

  std::optional<StepReport> step(std::uint64_t done) override {
    make_features();
    Rng rng = Rng(request_.seed).split(done);
    Drawn drawn;
    std::vector<GraphInput> inputs;
    for (std::size_t i = 0; i < request_.graphs; ++i) {
      const std::size_t place = rng.below(graphs_.size());
      drawn.graphs.push_back(&graphs_.at(place));
      drawn.features.push_back(&features_[place]);
      inputs.push_back(input_of(drawn.graphs.back()->view, features_[place]));
    }
    drawn.batch = make_batch(inputs);
    drawn.rows = network_.forward(drawn.batch);
    const std::vector<std::vector<Searched>> searched = search(drawn, rng);
    if (interrupted()) return std::nullopt;
    learn(drawn, searched);
    return StepReport{
        .figures = {{"ratio", last_.ratio}, {"best_ratio", last_.best}, {"entropy", last_.entropy}},
        .line = fmt::format("searches come to {:.4f} of the standard's, the best to {:.4f}, entropy {:.3f}",
                            last_.ratio, last_.best, last_.entropy)};
  }

  Safetensors policy(std::uint64_t done) const override {
    Safetensors policy = network_.save();
    policy.metadata = first_.metadata;
    policy.metadata["metrics"] =
        fmt::format("steps={} ratio={:.4f} best_of_{}={:.4f}", done, last_.ratio, request_.samples, last_.best);
    return policy;
  }

  Safetensors state() const override {
    Safetensors state = adam_.save();
    put_network(network_, state);
    return state;
  }

  void load(const Safetensors& state) override {
    adam_.load(state);
    network_ = network_in(state, spec_);
    network_.move_to(device_named(request_.device));
  }

 private:
  /// Graphs of a step, and what the network says about them.
  struct Drawn {
    std::vector<const TrainingGraph*> graphs;
    std::vector<const GeneFeatures*> features;
    Batch batch;
    torch::Tensor rows;

    torch::Tensor rows_of(std::size_t graph) const { return batch.rows_of(rows, graph); }
  };
  /// Anchors and choices that were drawn, and what a search came to under them, as a share of the standard's.
  struct Searched {
    std::vector<float> anchors;
    std::vector<GeneChoice> choices;
    double ratio = 0;
  };
  struct Progress {
    double ratio = 0, best = 0, entropy = 0;
  };
  torch::Tensor feedback() const {
    return kind_.order() == GeneOrder::autoregressive ? network_.free(kGeneFeedback) : torch::Tensor();
  }

  /// What the network sees of all graphs, before the first step.
  void make_features() {
    if (!features_.empty()) return;
    features_.resize(graphs_.size());
    ThreadPool pool(request_.threads);
    pool.for_each(graphs_.size(), [&](std::size_t, std::size_t i) {
      features_[i] = gene_features_of(graphs_.at(i).view, graphs_.at(i).first.due);
    });
  }

  /// Searches for one graph begin from the same seed, so that they differ by their choices alone.
  std::vector<std::vector<Searched>> search(const Drawn& drawn, const Rng& rng) const {
    const std::size_t graphs = drawn.graphs.size();
    std::vector<std::vector<float>> rows;
    for (std::size_t i = 0; i < graphs; ++i) rows.push_back(to_array(drawn.rows_of(i)).values);
    const std::vector<float> anchors = to_array(network_.free(kGeneAnchors)).values;
    const std::vector<float> seen = feedback().defined() ? to_array(feedback()).values : std::vector<float>();
    std::vector<std::vector<Searched>> searched(graphs, std::vector<Searched>(request_.samples));
    ThreadPool pool(request_.threads);
    pool.for_each(graphs * request_.samples, [&](std::size_t, std::size_t i) {
      if (interrupted()) return;
      const std::size_t graph = i / request_.samples;
      Searched& one = searched[graph][i % request_.samples];
      Rng own = rng.split(i);
      one.anchors = anchors;
      for (float& term : one.anchors) term += kAnchorTrial * static_cast<float>(own.normal());
      std::vector<float> outputs = rows[graph];
      add_anchors(outputs, one.anchors, *drawn.features[graph]);
      one.choices = GeneDistribution(drawn.graphs[graph]->view, std::move(outputs), seen).draw(1, own);
      one.ratio = ratio_under(*drawn.graphs[graph], one.choices, rng.split(graphs * request_.samples + graph).next());
    });
    return searched;
  }

  double ratio_under(const TrainingGraph& graph, std::span<const GeneChoice> choices, std::uint64_t seed) const {
    const std::unique_ptr<Task> task = make_task(graph.problem, kTrainingTasks);
    const double value =
        evolved_value(graph, guidance_of(choices, *task),
                      {.budget = {.evaluations = request_.evaluations}, .seed = seed, .show_progress = false});
    return value / graph.standard;
  }

  /// The reward is -o_a / o_s; what a graph's searches come to on the mean is its baseline.
  void learn(const Drawn& drawn, const std::vector<std::vector<Searched>>& searched) {
    const std::vector<const TrainingGraph*>& graphs = drawn.graphs;
    last_ = {};
    const auto share = 1 / static_cast<double>(graphs.size());
    torch::Tensor total = torch::zeros({});
    for (std::size_t i = 0; i < graphs.size(); ++i) {
      std::vector<double> rewards;
      for (const Searched& one : searched[i]) rewards.push_back(-one.ratio);
      const std::vector<double> worths = advantages(rewards);
      std::vector<GeneExample> examples;
      for (std::size_t k = 0; k < worths.size(); ++k) {
        examples.push_back({searched[i][k].anchors, searched[i][k].choices, worths[k]});
        last_.ratio += searched[i][k].ratio * share / static_cast<double>(worths.size());
      }
      last_.best -= *std::ranges::max_element(rewards) * share;
      const std::unique_ptr<Task> task = make_task(graphs[i]->problem, kTrainingTasks);
      const GeneOutputs outputs{drawn.rows_of(i), network_.free(kGeneAnchors), feedback(), *drawn.features[i]};
      const GeneLoss loss =
          gene_loss(outputs, graphs[i]->view, examples, genes_in_use(*task, graphs[i]->view.operations()));
      total = total + share * (loss.total - request_.entropy * loss.entropy);
      last_.entropy += loss.entropy.item<double>() * share;
    }
    total.backward();
    adam_.step(network_.parameters(), request_.rate);
  }

  TrainingRequest request_;
  Safetensors first_;  // what learning starts from
  const GenePolicyKind& kind_;
  NetworkSpec spec_;
  TorchNetwork network_;
  WorkloadExamples graphs_;
  std::vector<GeneFeatures> features_;  // by graph
  Adam adam_;
  Progress last_;
};

const TrainerKind regal("regal", {.family = "regal", .prefix = ""}, {FirstNetwork::of_start, "edges", "genes"},
                        make_trainer<GeneTrainer>);

}  // namespace
}  // namespace hone::learn

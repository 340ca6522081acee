#pragma once

#include <span>
#include <vector>

#include "learn/train/adam.h"
#include "learn/train/go_loss.h"

namespace hone::learn {

/// A graph that chains are drawn for; what it refers to must outlive it.
struct GoGraph {
  GoGraph(const GraphView& view, const Task& task, const Plan& start, GoDecode decode, const GoTasks& tasks);

  const GraphView& view;
  const Task& task;
  const Plan& start;
  GoDecode decode;
  GoTasks tasks;      // that the policy is asked about
  Decisions kept;     // to begin with
  Decisions opening;  // plan that chains begin with; none when empty
  Features features;
  Batch batch;
};

/// Chains that were drawn for one graph, as long as each other.
struct GoLesson {
  const GoGraph* graph = nullptr;
  std::vector<std::vector<GoStep>> chains;
};

/// One chain of so many refinements, or what the budget allowed.
std::vector<GoStep> draw_chain(const GoGraph& graph, const GoNetwork& network, std::span<const float> embedded,
                               const GoChain::Trace& trace, std::size_t passes, Rng& rng);

/// Learns from chains by PPO. What comes of it depends on no number of threads.
class GoLearner {
 public:
  struct Settings {
    double rate = 0.001, entropy = 0.01;
    std::size_t epochs = 2;
    std::size_t threads = 1;
  };

  GoLearner(const Safetensors& first, const torch::Device& device, const Settings& settings);

  /// What was learned so far, with the card of what it started from.
  Safetensors contents() const;
  void set_entropy(double worth) { settings_.entropy = worth; }
  /// Mean entropy of a decision.
  double learn(std::span<const GoLesson> lessons, Rng& rng);

  Safetensors state() const;
  void load(const Safetensors& state);

 private:
  /// Passes of one graph that are learned from.
  struct Exercise {
    const GoGraph* graph = nullptr;
    std::vector<GoExperience> experiences;
    std::vector<torch::Tensor> gradient;  // by parameter, in their order
    double entropy = 0;
  };
  /// Passes of a lesson that are learned from, drawn among all of them.
  static Exercise drawn_exercise(const GoLesson& lesson, Rng& rng);
  void differentiate(Exercise& exercise);

  Safetensors first_;
  torch::Device device_;
  Settings settings_;
  GoTorch network_;
  Adam adam_;
};

}  // namespace hone::learn

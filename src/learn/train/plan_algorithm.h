#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/registered.h"
#include "learn/policy/training_request.h"
#include "learn/train/adam.h"
#include "learn/train/decision_examples.h"
#include "learn/train/torch_network.h"

namespace hone::learn {

/// By graph of a step and by plan drawn for it.
using PlanValues = std::vector<std::vector<double>>;

/// What a policy can be changed by in a step.
struct PlanStep {
  const Batch& batch;
  const PlanValues& rewards;
  const DecisionExamples& examples;
  const torch::Tensor& weights;  // of options, as plans were drawn by them
  TorchNetwork& network;
  Adam& adam;
};

/// What is made of plans that were drawn.
class PlanAlgorithm {
 public:
  virtual ~PlanAlgorithm() = default;

  /// Whether the best plan known is imitated: then plans never start from it, and its decisions are kept.
  virtual bool imitates() const { return false; }
  /// What plans are worth to learn from; none of a graph whose plans are not learned from.
  virtual PlanValues advantages_of(const PlanValues& rewards, const Batch& batch) const = 0;
  /// Changes the network; the entropy of decisions before.
  virtual double learn(const PlanStep& step) = 0;
  /// What it has learned besides the policy.
  virtual void save(Safetensors&) const {}
  virtual void load(const Safetensors&) {}
};

/// A kind of these, by name. Defining one at namespace scope registers it.
class PlanAlgorithmKind : public Registered<PlanAlgorithmKind> {
 public:
  static constexpr std::string_view kCalled = "algorithm";
  using Make = std::unique_ptr<PlanAlgorithm> (*)(const TrainingRequest&);

  PlanAlgorithmKind(std::string_view name, Make maker) : name_(name), make_(maker) {}

  std::string_view name() const { return name_; }
  std::unique_ptr<PlanAlgorithm> make(const TrainingRequest& request) const { return make_(request); }

 private:
  std::string_view name_;
  Make make_;
};

/// The kind that is made of a request by a class.
template <class Made>
std::unique_ptr<PlanAlgorithm> make_algorithm(const TrainingRequest& request) {
  return std::make_unique<Made>(request);
}

}  // namespace hone::learn

#pragma once

#include <memory>
#include <vector>

#include "learn/policy/training_request.h"
#include "learn/train/go_learner.h"
#include "learn/train/trainer.h"
#include "plan/simulate/objective_cost.h"

namespace hone::learn {

/// A machine like another one, with 2 to 8 of its first kind of device; half of them of half the speed or memory by
/// chance, links faster or slower by up to five times. So one policy learns to serve many.
Machine machine_like(const Machine& machine, Rng& rng);

/// What is learned: everything that is decided, or only what is about all operations at once.
enum class GoAbout : std::uint8_t { everything, passes };

/// A graph on a machine, ready to be learned from.
struct GoExample {
  GoExample(Problem given, std::string_view tasks, GoAbout about);
  GoExample(const GoExample&) = delete;

  Problem problem;
  GraphView view;
  Plan start;
  std::unique_ptr<Task> task;
  ObjectiveCost cost;  // forked by those who use it
  GoGraph graph;
  double standard = 0;  // what a search without a policy comes to
};

/// Every graph of the user on the machine that was named and on ones like it.
class GoExamples final : public ExampleSource<GoExample> {
 public:
  GoExamples(const TrainingRequest& request, std::vector<Workload> workloads);

  std::string fingerprint() const override { return fingerprint_; }
  void prepare() override;
  std::size_t size() const override { return examples_.size(); }
  GoExample& at(std::size_t index) const override { return *examples_[index]; }

 private:
  TrainingRequest request_;
  std::string fingerprint_;
  std::vector<Workload> workloads_;  // until they are prepared
  std::vector<std::unique_ptr<GoExample>> examples_;
};

}  // namespace hone::learn

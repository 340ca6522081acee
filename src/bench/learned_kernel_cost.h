#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "plan/machine/machine.h"
#include "plan/problem/group_time.h"
#include "plan/search/evaluator.h"
#include "plan/search/optimizer.h"

namespace hone {

/// What a kernel takes, learned from kernels of other graphs: a sum of what can be counted of it, weighted so that
/// relative errors are least. What search by advantages is compared with is searching such a model.
class LearnedKernelCost {
 public:
  /// Fits weights to kernels of these graphs (see `load_graphs`) as priority fusion and random decisions make them.
  LearnedKernelCost(const std::vector<std::string>& graphs, const Machine& machine);

  static constexpr std::size_t kCounts = 7;
  using Counts = std::array<double, kCounts>;

  double seconds(const Counts& counts) const;
  /// The share of kernels it was fitted to that it is off by less than a tenth.
  double within_tenth() const { return within_tenth_; }

 private:
  Counts weights_{};
  double within_tenth_ = 0;
};

/// Judges plans by a learned model. Both must outlive it.
class LearnedCost final : public Evaluator {
 public:
  LearnedCost(const Problem& problem, const LearnedKernelCost& model);

  Cost evaluate(const Plan& plan) override;
  std::unique_ptr<Evaluator> fork() const override { return std::make_unique<LearnedCost>(problem_, model_); }

 private:
  const Problem& problem_;
  const LearnedKernelCost& model_;
  OperationTimes times_;
};

/// Annealing on a learned model, again and again; what each comes to is evaluated.
class AnnealOnModel final : public Optimizer {
 public:
  /// `evaluations` are those of the model that one annealing has.
  AnnealOnModel(const LearnedKernelCost& model, std::uint64_t evaluations) : model_(model), evaluations_(evaluations) {}

  bool plans_groups() const override { return true; }
  Parameters parameters() override { return {}; }
  void run(Search& search) override;

 private:
  const LearnedKernelCost& model_;
  std::uint64_t evaluations_;
};

}  // namespace hone

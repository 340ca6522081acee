#include "plan/methods/kernel_choice.h"

#include <limits>

namespace hone {

/// Sites about groups of a task, in their order.
class KernelChoice::Groups final : public Task {
 public:
  /// The task must outlive it. `row`: what the other sites say.
  Groups(const Task& whole, const Workload& workload, Decisions row) : whole_(whole), row_(std::move(row)) {
    std::vector<std::uint32_t> own(row_.size());  // by site of the whole
    for (std::uint32_t site = 0; site < row_.size(); ++site) {
      if (whole.sites()[site].field != PlanField::group) continue;
      own[site] = static_cast<std::uint32_t>(sites_of_whole_.size());
      sites_of_whole_.push_back(site);
      add_site(whole.sites()[site]);
    }
    for (std::size_t i = 0; i < workload.operation_count(); ++i)
      for (const std::uint32_t site : whole.sites_about(OperationId(i)))
        if (whole.sites()[site].field == PlanField::group) relate(own[site], OperationId(i));
  }

  void apply(std::span<const float> keys, Plan& plan) const override {
    Decisions row = row_;
    for (std::size_t i = 0; i < keys.size(); ++i) row[sites_of_whole_[i]] = keys[i];
    whole_.apply(row, plan);
  }

  Decisions encode(const Plan& plan) const override {
    const Decisions row = whole_.encode(plan);
    Decisions keys;
    for (const std::uint32_t site : sites_of_whole_) keys.push_back(row[site]);
    return keys;
  }

  bool decides_groups() const override { return true; }

 private:
  const Task& whole_;
  Decisions row_;
  std::vector<std::uint32_t> sites_of_whole_;  // by own site
};

/// Judges kernels by plans of the whole.
class KernelChoice::Evaluation final : public Evaluator {
 public:
  explicit Evaluation(const KernelChoice& choice) : choice_(choice) {}

  Cost evaluate(const Plan& plan) override {
    const std::span<const Cost> costs = choice_.whole_.evaluate(choice_.row_of(plan));
    if (costs.empty()) return {.seconds = kNever, .peak_bytes = kNever, .overflow_bytes = kNever};
    Cost cost = costs.front();
    cost.overflow_bytes = 0;
    return cost;
  }

  std::vector<Blame> blame(const Plan& plan) override { return choice_.whole_.blame(choice_.row_of(plan)); }

  std::unique_ptr<Evaluator> fork() const override { return std::make_unique<Evaluation>(choice_); }

 private:
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  const KernelChoice& choice_;
};

KernelChoice::KernelChoice(Search& whole, Decisions row) : whole_(whole), row_(std::move(row)) {}

void KernelChoice::run(Optimizer& optimizer, std::uint64_t evaluations, std::uint64_t seed) {
  const Groups task(whole_.task(), whole_.problem().workload, row_);
  Plan start = whole_.start();
  whole_.task().apply(row_, start);
  Evaluation evaluation(*this);
  Search search(whole_.problem(), task, evaluation, std::move(start),
                {.budget = {.evaluations = evaluations, .seconds = whole_.deadline().seconds_left()},
                 .seed = seed,
                 .show_progress = false});
  const std::uint64_t before = whole_.evaluations();
  optimizer.run(search);
  // Kernels that were known here were not asked for again there; they count all the same.
  while (!whole_.spent() && whole_.evaluations() - before + 1 < search.evaluations()) whole_.spend(1);
  row_ = row_of(search.best_plan());
}

Decisions KernelChoice::row_of(const Plan& plan) const {
  const Decisions found = whole_.task().encode(plan);
  Decisions row = row_;
  for (std::size_t i = 0; i < row.size(); ++i)
    if (whole_.task().sites()[i].field == PlanField::group) row[i] = found[i];
  return row;
}

}  // namespace hone

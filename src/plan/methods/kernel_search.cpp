#include "plan/methods/kernel_search.h"

#include <limits>

namespace hone {
namespace {

Plan plan_of(const Search& search, std::span<const float> row) {
  Plan plan = search.start();
  search.task().apply(row, plan);
  return plan;
}

}  // namespace

/// Judges plans for kernels by those for the whole that they stand for.
class KernelSearch::Evaluation final : public Evaluator {
 public:
  explicit Evaluation(KernelSearch& search) : search_(search) {}

  Cost evaluate(const Plan& plan) override {
    const Decisions row = search_.row_of(plan);
    const std::span<const Cost> costs = search_.whole_.evaluate(row);
    if (costs.empty()) return {.seconds = kNever, .peak_bytes = kNever, .overflow_bytes = kNever};
    if (const Score score = search_.whole_.score(costs.front()); score < search_.best_) {
      search_.best_ = score;
      search_.best_row_ = row;
    }
    return costs.front();
  }

  std::optional<Timeline> trace(const Plan& plan) override {
    std::optional<Timeline> timeline = search_.whole_.trace(search_.row_of(plan));
    if (timeline)
      for (Timeline::Transfer& transfer : timeline->transfers)
        transfer.buffer = search_.contracted_.buffer_of[transfer.buffer.index()];
    return timeline;
  }

  std::unique_ptr<Evaluator> fork() const override { return std::make_unique<Evaluation>(search_); }

 private:
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  KernelSearch& search_;
};

KernelSearch::KernelSearch(Search& whole, Decisions row)
    : whole_(whole),
      row_(std::move(row)),
      plan_(plan_of(whole, row_)),
      contracted_(whole.problem(), plan_),
      best_row_(row_),
      best_{.excess = std::numeric_limits<double>::infinity(), .value = std::numeric_limits<double>::infinity()} {}

void KernelSearch::run(Optimizer& optimizer, std::uint64_t evaluations, std::uint64_t seed) {
  Plan start = plan_;
  start.group_of.clear();
  start.copies.clear();
  start.transfer_priority.clear();
  whole_.task().apply(best_row_, plan_);
  start.device_of = plan_.device_of;
  start.priority = plan_.priority;
  const std::unique_ptr<Task> task = make_task(contracted_.problem, "place+schedule", start);
  Evaluation evaluation(*this);
  Search search(contracted_.problem, *task, evaluation, std::move(start),
                {.budget = {.evaluations = evaluations}, .seed = seed, .show_progress = false});
  const std::uint64_t before = whole_.evaluations();
  optimizer.run(search);
  // Plans that were known here were not asked for again there; they count all the same.
  while (!whole_.spent() && whole_.evaluations() - before + 1 < search.evaluations()) whole_.spend(1);
}

Decisions KernelSearch::row_of(const Plan& kernels) const {
  Plan plan = plan_;
  plan.device_of = kernels.device_of;
  plan.priority = kernels.priority;
  Decisions row = whole_.task().encode(plan);
  const std::vector<Site>& sites = whole_.task().sites();
  for (std::size_t i = 0; i < row.size(); ++i)
    if (sites[i].field != PlanField::device && sites[i].field != PlanField::priority) row[i] = row_[i];
  return row;
}

}  // namespace hone

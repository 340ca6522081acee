#include "learn/advantage/gibbs.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace hone {
namespace {

class ChainDraw {
 public:
  ChainDraw(const Problem& problem, const Task& task, const DecisionUnits& units, Evaluator& evaluator,
            const Plan& start, const GibbsSettings& settings)
      : problem_(problem),
        task_(task),
        units_(units),
        evaluator_(evaluator),
        settings_(settings),
        rng_(settings.seed),
        plan_(start),
        row_(task.encode(start)),
        order_(units.single_count()),
        taken_(problem.workload.operation_count()) {
    std::iota(order_.begin(), order_.end(), 0U);
  }

  GibbsChain run() && {
    if (order_.empty()) return {};
    cost_ = value_of(row_);
    temperature_ = settings_.temperature * cost_ / static_cast<double>(problem_.workload.operation_count());
    while (spent_ < settings_.evaluations && std::isfinite(cost_)) {
      const std::vector<std::uint32_t> block = next_block();
      chain_.configurations.push_back(row_);
      Decisions next = row_;
      for (const std::uint32_t unit : block) units_.set(next, unit, drawn(unit));
      row_ = std::move(next);
      cost_ = value_of(row_);
    }
    return std::move(chain_);
  }

 private:
  double value_of(std::span<const float> row) {
    ++spent_;
    task_.apply(row, plan_);
    const Score found = score(problem_.objective, evaluator_.evaluate(plan_));
    return found.excess > 0 ? std::numeric_limits<double>::infinity() : found.value;
  }

  /// The next units of the sweep that share no operation with one another.
  std::vector<std::uint32_t> next_block() {
    std::vector<std::uint32_t> block;
    std::size_t passed = 0;
    ++blocks_;
    if (next_ == 0) shuffle();
    for (; next_ < order_.size() && block.size() < settings_.block && passed < kMostPassed; ++next_) {
      const DecisionUnits::Unit& about = units_.at(order_[next_]);
      if (take(about.operation) && take(about.reader)) block.push_back(order_[next_]);
      else ++passed;
    }
    next_ %= order_.size();
    return block;
  }

  void shuffle() {
    for (std::size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[rng_.below(i)]);
  }

  /// False where a unit of the block is about it already.
  bool take(OperationId operation) {
    if (!operation.valid()) return true;
    if (taken_[operation.index()] == blocks_) return false;
    taken_[operation.index()] = blocks_;
    return true;
  }

  /// An option by its conditional probability.
  std::uint32_t drawn(std::uint32_t unit) {
    const std::uint32_t now = units_.option(row_, unit);
    std::vector<double> weights;
    for (const double advantage : advantages(unit)) weights.push_back(std::exp(-advantage / temperature_));
    for (const std::uint32_t other : units_.about(units_.at(unit).operation))
      if (other >= units_.single_count()) advantages(other);
    double lot = rng_.uniform() * std::accumulate(weights.begin(), weights.end(), 0.0);
    for (std::uint32_t option = 0; option < weights.size(); ++option)
      if ((lot -= weights[option]) < 0) return option;
    return now;
  }

  /// Of all options; they become samples.
  std::vector<double> advantages(std::uint32_t unit) {
    std::vector<double> found;
    for (std::uint32_t option = 0; option < units_.at(unit).options; ++option) {
      found.push_back(0);
      if (units_.has_option(row_, unit, option)) continue;
      Decisions changed = row_;
      units_.set(changed, unit, option);
      found.back() = value_of(changed) - cost_;
      if (std::abs(found.back()) <= kRounding * cost_) found.back() = 0;
      if (std::isfinite(found.back()))
        chain_.samples.push_back(
            {static_cast<std::uint32_t>(chain_.configurations.size() - 1), unit, option, found.back()});
    }
    return found;
  }

  static constexpr double kRounding = 1e-11;      // of a sum of many kernels, by the order they are added in
  static constexpr std::size_t kMostPassed = 64;  // units that are left out for one block

  const Problem& problem_;
  const Task& task_;
  const DecisionUnits& units_;
  Evaluator& evaluator_;
  GibbsSettings settings_;
  Rng rng_;
  Plan plan_;
  Decisions row_;
  std::vector<std::uint32_t> order_;  // of the sweep
  std::size_t next_ = 0;
  std::vector<std::uint64_t> taken_;  // by operation: the last block with a unit about it
  std::uint64_t blocks_ = 0, spent_ = 0;
  double cost_ = 0, temperature_ = 0;
  GibbsChain chain_;
};

}  // namespace

GibbsChain sample_chain(const Problem& problem, const Task& task, const DecisionUnits& units, Evaluator& evaluator,
                        const Plan& start, const GibbsSettings& settings) {
  return ChainDraw(problem, task, units, evaluator, start, settings).run();
}

}  // namespace hone

#include "learn/train/move_examples.h"

#include <cmath>

#include "learn/policy/guided_descent.h"
#include "learn/train/decision_examples.h"
#include "plan/search/task.h"

namespace hone::learn {
namespace {

constexpr std::size_t kOffers = 24;  // of a plan
constexpr double kLeastEvaluations = 300, kMostEvaluations = 6000;
constexpr double kNoted = 0.4;  // share of the budget at the end in which notes are taken
constexpr std::size_t kPatience = 8, kKick = 3;

/// One walk from plan to plan, all offers of each evaluated.
class Walk {
 public:
  Walk(Search& search, const TrainingGraph& graph, const MoveWeights& weights, const Rng& rng)
      : search_(search), weights_(weights), plan_(search, graph.view, DescentParameters().focus), rng_(rng) {
    plan_.go_to(search.task().encode(search.start()));
    base_ = plan_.decisions();
    score_ = base_score_ = search.best();
  }

  std::vector<Offers> run() {
    std::vector<Offers> noted;
    for (std::size_t idle = 0; plan_.play() && !search_.spent(); ++idle) {
      if (idle == kPatience) {
        perturb();
        idle = 0;
        continue;
      }
      draw();
      const std::span<const Cost> costs = search_.evaluate(rows_);
      if (costs.size() < moves_.size()) break;
      Offers offers = judge(costs);
      if (take_one(costs)) idle = 0;
      if (search_.share_spent() > 1 - kNoted) noted.push_back(std::move(offers));
    }
    return noted;
  }

 private:
  void draw() {
    moves_.clear();
    rows_.clear();
    for (std::size_t i = 0; i < kOffers; ++i) {
      std::optional<PlanMove> move = plan_.draw(rng_);
      if (!move) continue;
      rows_.insert(rows_.end(), plan_.decisions().begin(), plan_.decisions().end());
      plan_.write(*move, std::span(rows_).last(plan_.decisions().size()));
      moves_.push_back(*std::move(move));
    }
  }

  Offers judge(std::span<const Cost> costs) const {
    Offers offers;
    for (std::size_t i = 0; i < moves_.size(); ++i) {
      offers.operations.push_back(moves_[i].operation);
      offers.features.push_back(moves_[i].features);
      offers.is_better.push_back(search_.score(costs[i]) < score_);
    }
    return offers;
  }

  /// Makes one that is no worse, by the logits of the policy; true when it is better.
  bool take_one(std::span<const Cost> costs) {
    std::size_t taken = moves_.size();
    double best = -1e300;
    for (std::size_t i = 0; i < moves_.size(); ++i) {
      const double logit = logit_of(weights_, moves_[i]) - std::log(-std::log(std::max(rng_.uniform(), 1e-300)));
      if (search_.score(costs[i]) > score_) plan_.moves().failed(moves_[i]);
      if (search_.score(costs[i]) > score_ || logit <= best) continue;
      best = logit;
      taken = i;
    }
    if (taken == moves_.size()) return false;
    const bool is_better = search_.score(costs[taken]) < score_;
    score_ = search_.score(costs[taken]);
    plan_.take(moves_[taken]);
    if (is_better) plan_.moves().helped();
    return is_better;
  }

  void perturb() {
    if (score_ <= base_score_) {
      base_score_ = score_;
      base_ = plan_.decisions();
    }
    plan_.go_to(base_);
    if (!plan_.play()) return;
    for (std::size_t i = 0; i < kKick; ++i)
      if (const std::optional<PlanMove> move = plan_.draw(rng_)) plan_.take(*move);
    const std::span<const Cost> costs = search_.evaluate(plan_.decisions());
    if (!costs.empty()) score_ = search_.score(costs.front());
  }

  Search& search_;
  const MoveWeights& weights_;
  MovingPlan plan_;
  Rng rng_;
  Decisions base_, rows_;
  std::vector<PlanMove> moves_;
  Score score_, base_score_;
};

}  // namespace

std::vector<Offers> collect_offers(const TrainingGraph& graph, const MoveWeights& weights, const Plan& start, Rng rng) {
  const std::unique_ptr<Task> task = make_task(graph.problem, "place+schedule");
  const double evaluations = kLeastEvaluations * std::pow(kMostEvaluations / kLeastEvaluations, rng.uniform());
  Search search(graph.problem, *task, graph.cost, start,
                {.budget = {.evaluations = static_cast<std::uint64_t>(evaluations)}, .show_progress = false});
  std::vector<Offers> offers = Walk(search, graph, weights, rng).run();
  std::erase_if(offers, [](const Offers& each) { return std::ranges::count(each.is_better, true) == 0; });
  return offers;
}

void MoveExamples::add(const Offers& offers, std::int64_t first) {
  for (std::size_t i = 0; i < offers.operations.size(); ++i) {
    operation_.push_back(first + offers.operations[i]);
    features_.insert(features_.end(), offers.features[i].begin(), offers.features[i].end());
    decision_.push_back(count_);
    better_.push_back(offers.is_better[i] ? 1 : 0);
  }
  ++count_;
}

MoveExamples::Loss MoveExamples::loss(const torch::Tensor& weights) const {
  const auto offers = static_cast<std::int64_t>(operation_.size());
  const torch::Tensor features =
      torch::tensor(at::ArrayRef<float>(features_)).view({offers, static_cast<std::int64_t>(kMoveFeatures)});
  const torch::Tensor rows = torch::tensor(at::ArrayRef<std::int64_t>(operation_));
  const torch::Tensor shares = log_shares((weights.index_select(0, rows) * features).sum(1), decision_, count_).exp();
  const torch::Tensor better = torch::tensor(at::ArrayRef<float>(better_));
  const torch::Tensor decision = torch::tensor(at::ArrayRef<std::int64_t>(decision_));
  const torch::Tensor hits = torch::zeros({count_}).index_add(0, decision, shares * better);
  return {-(hits + 1e-6).log().mean(), hits.mean().item<double>()};
}

double MoveExamples::blind_hits() const {
  std::vector<double> better(static_cast<std::size_t>(count_)), all(better.size());
  for (std::size_t i = 0; i < decision_.size(); ++i) {
    better[static_cast<std::size_t>(decision_[i])] += better_[i];
    all[static_cast<std::size_t>(decision_[i])] += 1;
  }
  double sum = 0;
  for (std::size_t i = 0; i < all.size(); ++i) sum += better[i] / all[i];
  return sum / std::max<double>(1, static_cast<double>(count_));
}

}  // namespace hone::learn

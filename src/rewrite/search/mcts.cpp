#include <algorithm>
#include <cmath>
#include <memory>

#include "rewrite/search/method.h"

namespace hone {
namespace {

struct RewriteMctsParameters {
  std::int64_t rounds = 100, length = 8;
  double explore = 0.5;
  Parameters list() {
    return Parameters()
        .add("rounds", &rounds, {1, 1e9}, "descents into the tree")
        .add("length", &length, {0, 1e6}, "rewrites tried greedily behind a new leaf")
        .add("explore", &explore, {0, 100}, "weight of what was seldom tried");
  }
};

/// Monte Carlo tree search: a tree of rewrites, descended where the best graphs were found or few were tried; behind a
/// new leaf the rewrites that save most are followed for a while.
class RewriteMcts final : public RewriteMethod {
 public:
  explicit RewriteMcts(RewriteMctsParameters parameters) : parameters_(parameters) {}

  void run(RewriteSearch& search) override {
    auto root = std::make_unique<Branch>();
    root->state = search.start();
    for (std::int64_t round = 0; round < parameters_.rounds && !search.spent(); ++round) {
      if (root->exhausted) return;
      descend(search, *root);
    }
  }

 private:
  struct Branch {
    StatePointer state;
    std::vector<RewriteOption> options;  // not tried yet, cheapest last
    std::vector<std::unique_ptr<Branch>> children;
    bool expanded = false, exhausted = false;
    double visits = 0, reward = 0;  // the best share saved below it
  };

  static double saved(const RewriteSearch& search, double seconds) { return 1 - seconds / search.start()->seconds; }

  double descend(RewriteSearch& search, Branch& branch) {
    if (!branch.expanded) {
      branch.options = search.expand(*branch.state);
      std::ranges::stable_sort(branch.options, std::greater(), &RewriteOption::seconds);
      branch.expanded = true;
    }
    double reward = saved(search, branch.state->seconds);
    const bool widen =
        !branch.options.empty() && static_cast<double>(branch.children.size()) <= std::sqrt(branch.visits);
    if (widen) {
      auto child = std::make_unique<Branch>();
      child->state = search.take(branch.state, branch.options.back());
      branch.options.pop_back();
      reward = std::max(reward, roll_out(search, child->state));
      child->visits = 1;
      child->reward = reward;
      branch.children.push_back(std::move(child));
    } else if (Branch* child = most_promising(branch)) {
      reward = std::max(reward, descend(search, *child));
    } else {
      branch.exhausted = branch.options.empty();
    }
    branch.visits += 1;
    branch.reward = std::max(branch.reward, reward);
    return reward;
  }

  Branch* most_promising(const Branch& branch) const {
    Branch* best = nullptr;
    double best_score = 0;
    for (const auto& child : branch.children) {
      if (child->exhausted) continue;
      const double score =
          child->reward + parameters_.explore * std::sqrt(std::log(1 + branch.visits) / child->visits) * 0.05;
      if (best == nullptr || score > best_score) {
        best = child.get();
        best_score = score;
      }
    }
    return best;
  }

  double roll_out(RewriteSearch& search, StatePointer state) const {
    return saved(search, search.descend(std::move(state), parameters_.length)->seconds);
  }

  RewriteMctsParameters parameters_;
};

const RewriteMethodKind mcts_rewrites = RewriteMethodKind::with_parameters<RewriteMcts, RewriteMctsParameters>(
    "mcts", "Monte Carlo tree search over rewrites");

}  // namespace
}  // namespace hone

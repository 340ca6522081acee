// Rewriting by a policy: alone, by following the likeliest rewrite until it would stop; as what a beam follows; and as
// the prior of a tree search.

#include <algorithm>
#include <cmath>
#include <memory>
#include <unordered_set>

#include "learn/rewrite/rewrite_policy.h"
#include "rewrite/search/method.h"

namespace hone {
namespace {

struct PolicySearchParameters {
  std::string policy, search = "alone";
  std::int64_t steps = 100, width = 8, rounds = 100;
  double explore = 1;
  Parameters list() {
    return Parameters()
        .add("policy", &policy, "a policy file, one that is built in, untrained or zero-step")
        .add("search", &search, "how it is used", {"alone", "beam", "tree"})
        .add("steps", &steps, {1, 1e6}, "rewrites of a walk")
        .add("width", &width, {1, 1e6}, "graphs that a beam follows at a time")
        .add("rounds", &rounds, {1, 1e9}, "descents into a tree")
        .add("explore", &explore, {0, 1000},
             "percent of the time that a likely rewrite seldom tried is worth in a tree");
  }
};

class PolicySearch : public RewriteMethod {
 public:
  PolicySearch(PolicySearchParameters parameters, const RewritePolicyKind& kind)
      : parameters_(std::move(parameters)), kind_(kind), policy_(rewrite_policy_named(policy_name(), kind)) {}

  void run(RewriteSearch& search) override {
    if (parameters_.search == "beam") run_beam(search);
    else if (parameters_.search == "tree") run_tree(search);
    else follow(search, search.start(), parameters_.steps);
  }

 private:
  /// A rewrite with the chance that the policy gives it.
  struct Likely {
    RewriteOption option;
    double chance = 0;
  };
  struct Judged {
    std::vector<Likely> rewrites;  // the likeliest first
    double stop_chance = 1;
  };

  std::string policy_name() const {
    if (!parameters_.policy.empty()) return parameters_.policy;
    const std::string wanted = "hone-rewrite";
    const bool is_there =
        std::ranges::any_of(builtin_policies(), [&](const auto& each) { return each.name == wanted; });
    return is_there && &kind_ == &rewrite_policy() ? wanted : "zero-step";
  }

  Judged judge(RewriteSearch& search, const StatePointer& state) const {
    std::vector<RewriteOption> options = search.expand(*state);
    std::erase_if(options, [&](const RewriteOption& option) { return option.hash == state->hash; });
    Judged judged;
    if (options.empty()) return judged;
    const double left = 1 - static_cast<double>(state->depth) / static_cast<double>(parameters_.steps);
    const RewriteScene scene = kind_.scene({search.space(), *state, options, std::max(0.0, left)});
    const std::vector<double> chances = chances_of(kind_.scores(policy_, scene).logits);
    for (std::size_t i = 0; i < options.size(); ++i) judged.rewrites.push_back({std::move(options[i]), chances[i]});
    judged.stop_chance = chances.back();
    std::ranges::stable_sort(judged.rewrites, std::greater(), &Likely::chance);
    return judged;
  }

  /// The likeliest rewrite, again and again, never to a graph that was there before; where that leads.
  StatePointer follow(RewriteSearch& search, StatePointer state, std::int64_t steps) const {
    std::unordered_set<std::uint64_t> seen = {state->hash};
    for (std::int64_t step = 0; step < steps && !search.spent(); ++step) {
      const Judged judged = judge(search, state);
      const auto next =
          std::ranges::find_if(judged.rewrites, [&](const Likely& each) { return !seen.contains(each.option.hash); });
      if (next == judged.rewrites.end() || next->chance <= judged.stop_chance) break;
      state = search.take(state, next->option);
      seen.insert(state->hash);
    }
    return state;
  }

  /// Follows the likeliest sequences of each length.
  void run_beam(RewriteSearch& search) const {
    struct Sequence {
      StatePointer from;
      RewriteOption option;
      double log_chance = 0;
    };
    std::vector<std::pair<StatePointer, double>> beam = {{search.start(), 0}};
    std::unordered_set<std::uint64_t> seen = {search.start()->hash};
    const auto width = static_cast<std::size_t>(parameters_.width);
    for (std::int64_t step = 0; step < parameters_.steps && !beam.empty() && !search.spent(); ++step) {
      std::vector<Sequence> longer;
      for (const auto& [state, log_chance] : beam) {
        if (search.spent()) break;
        std::size_t kept = 0;
        for (Likely& each : judge(search, state).rewrites) {
          if (kept == width) break;
          if (!seen.insert(each.option.hash).second) continue;
          longer.push_back({state, std::move(each.option), log_chance + std::log(std::max(each.chance, 1e-30))});
          ++kept;
        }
      }
      std::ranges::stable_sort(longer, std::greater(), &Sequence::log_chance);
      if (longer.size() > width) longer.resize(width);
      beam.clear();
      for (const Sequence& each : longer) beam.emplace_back(search.take(each.from, each.option), each.log_chance);
    }
  }

  struct Branch {
    StatePointer state;
    std::vector<Likely> rewrites;
    std::vector<std::unique_ptr<Branch>> children;  // by rewrite; null where it was not taken yet
    bool expanded = false;
    double visits = 0, best = 0;  // percent of the time at the start that is saved below it
  };

  void run_tree(RewriteSearch& search) const {
    Branch root;
    root.state = search.start();
    for (std::int64_t round = 0; round < parameters_.rounds && !search.spent(); ++round) descend(search, root);
  }

  static double saved(const RewriteSearch& search, const RewriteState& state) {
    return 100 * (1 - state.seconds / search.start()->seconds);
  }

  /// Percent saved by the best graph met.
  double descend(RewriteSearch& search, Branch& branch) const {
    double best = saved(search, *branch.state);
    if (!branch.expanded) {
      branch.rewrites = judge(search, branch.state).rewrites;
      branch.children.resize(branch.rewrites.size());
      branch.expanded = true;
      constexpr std::int64_t kBehindLeaf = 8;
      if (branch.state->before) best = std::max(best, saved(search, *follow(search, branch.state, kBehindLeaf)));
    } else if (!branch.rewrites.empty()) {
      const std::size_t chosen = most_promising(branch, saved(search, *branch.state));
      std::unique_ptr<Branch>& child = branch.children[chosen];
      if (!child) {
        child = std::make_unique<Branch>();
        child->state = search.take(branch.state, branch.rewrites[chosen].option);
      }
      best = std::max(best, descend(search, *child));
    }
    branch.best = branch.visits == 0 ? best : std::max(branch.best, best);
    branch.visits += 1;
    return best;
  }

  /// What was found behind a rewrite, plus what is left to explore there (Rosin's bound, as in AlphaZero).
  std::size_t most_promising(const Branch& branch, double untried) const {
    std::size_t chosen = 0;
    double most = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < branch.rewrites.size(); ++i) {
      const Branch* child = branch.children[i].get();
      const double visits = child == nullptr ? 0 : child->visits;
      const double score = (child == nullptr ? untried : child->best) +
                           parameters_.explore * branch.rewrites[i].chance * std::sqrt(branch.visits) / (1 + visits);
      if (score > most) {
        most = score;
        chosen = i;
      }
    }
    return chosen;
  }

  PolicySearchParameters parameters_;
  const RewritePolicyKind& kind_;
  Policy policy_;
};

class HoneRewrite final : public PolicySearch {
 public:
  explicit HoneRewrite(PolicySearchParameters parameters) : PolicySearch(std::move(parameters), rewrite_policy()) {}
};

class Xrlflow final : public PolicySearch {
 public:
  explicit Xrlflow(PolicySearchParameters parameters) : PolicySearch(std::move(parameters), xrlflow_policy()) {}
};

const RewriteMethodKind hone_rewrite = RewriteMethodKind::with_parameters<HoneRewrite, PolicySearchParameters>(
    "hone-rewrite", "a policy learned on other graphs, alone or in a search");
const RewriteMethodKind xrlflow_method = RewriteMethodKind::with_parameters<Xrlflow, PolicySearchParameters>(
    "xrlflow", "X-RLflow's policy as published, alone or in a search");

}  // namespace
}  // namespace hone

// A search that a policy guides all the way, grown out of REGAL (regal.cpp). The policy, which was trained on other
// graphs, says what to try. It draws plans for the first population of the genetic algorithm and
// for mutants: gene by gene, or step by step in view of what it has decided before (the autoregressive form), as its
// head says. And it is asked again about every plan on the way: which moves are worth an evaluation. For peak memory
// most of these moves are judged by a smooth peak, in which next to every move makes a difference.

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "learn/policy/gene_marginals.h"
#include "learn/policy/guided_descent.h"
#include "learn/policy/operations_alone.h"
#include "learn/policy/unlearned_policy.h"
#include "plan/methods/brkga.h"

namespace hone {
namespace {

/// What can be chosen about the guided search.
struct GuidedParameters {
  std::int64_t seeds = 16;
  std::int64_t independent = 0;
  double temperature = 1;
  double spread = 8;
  double genetic = 0.1;
  std::int64_t mutants = 4;
  double pull = 0;
  double race = 0.1;
  double smooth = 0.8;
  std::string policy;
  BrkgaParameters brkga{.near = 0};
  DescentParameters descent;

  Parameters list() {
    Parameters list;
    list.add("seeds", &seeds, {0, 1e6}, "plans drawn from the policy to begin with")
        .add("independent", &independent, {0, 1}, "1: their genes are drawn one by one, not in view of each other")
        .add("temperature", &temperature, {0, 10}, "how freely plans are drawn: 0 takes the highest logit")
        .add("spread", &spread, {1, 100}, "the freest of them is drawn so many times as freely")
        .add("genetic", &genetic, {0, 1}, "share of the budget after which the genetic algorithm ends")
        .add("mutants", &mutants, {0, 1e6}, "mutants drawn from the policy in all; others are random")
        .add("pull", &pull, {0, 0.4}, "how much likelier a child takes an elite's gene where the policy is certain")
        .add("race", &race, {0, 0.5}, "share of the budget that local search has from each of several plans")
        .add("smooth", &smooth, {0, 1},
             "share of the budget up to which peaks are smoothed where they are the objective")
        .add("policy", &policy,
             "a built-in policy or a file; `untrained`: weights at random; `zero-step`: what learning starts from; the "
             "one for the objective if empty")
        .add("population", &brkga.population, {4, 1e6}, "chromosomes of a generation");
    descent.add_to(list);
    return list;
  }
};

/// Draws decisions from a policy: plans made step by step, or their genes one by one.
class Draws {
 public:
  Draws(const Search& search, PlanGuide& guide, const GuidedParameters& parameters)
      : guide_(guide), parameters_(parameters) {
    if (parameters.independent == 0) return;
    constexpr std::size_t kPlans = 32;  // enough to know how each gene is spread
    std::vector<Decisions> plans;
    for (std::size_t i = 0; i < kPlans; ++i) plans.push_back(guide.draw(parameters.temperature, parameters.spread));
    const std::size_t genes = search.task().sites().size();
    one_by_one_.emplace(genes, Mating(), GeneGuidance{.distribution = marginals_of(plans)}, search.rng());
    genes_.resize(genes);
  }

  /// Valid until the next call.
  const Decisions& draw() {
    if (!one_by_one_) return guide_.draw(parameters_.temperature, parameters_.spread);
    one_by_one_->draw(genes_);
    return genes_;
  }

 private:
  PlanGuide& guide_;
  const GuidedParameters& parameters_;
  std::optional<GeneSource> one_by_one_;
  Decisions genes_;
};

/// Plans of the policy that have been evaluated, the best one last.
class Seeds {
 public:
  /// Draws and evaluates, a few at a time, so that later ones see the best so far.
  Seeds(Search& search, Draws& draws, std::int64_t count) {
    constexpr std::int64_t kAtATime = 12;
    const std::size_t sites = search.task().sites().size();
    for (std::int64_t drawn = 0; drawn < count && !search.spent();) {
      Decisions rows;
      for (std::int64_t i = 0; i < kAtATime && drawn < count; ++i, ++drawn) {
        const Decisions& decisions = draws.draw();
        rows.insert(rows.end(), decisions.begin(), decisions.end());
      }
      const std::span<const Cost> costs = search.evaluate(rows);
      for (std::size_t i = 0; i < costs.size(); ++i)
        members_.push_back(
            {search.score(costs[i]), Decisions(rows.begin() + static_cast<std::ptrdiff_t>(i * sites),
                                               rows.begin() + static_cast<std::ptrdiff_t>((i + 1) * sites))});
    }
    std::ranges::stable_sort(members_, std::greater(), &Member::score);
  }

  /// By gene: from 0 where the policy's plans differ as numbers drawn evenly do, to 1 where all agree.
  std::vector<float> agreement(std::size_t genes) const {
    std::vector<float> agreement(genes);
    const auto count = static_cast<float>(members_.size());
    for (std::size_t gene = 0; gene < genes && !members_.empty(); ++gene) {
      float sum = 0, squares = 0;
      for (const Member& member : members_) {
        sum += member.decisions[gene];
        squares += member.decisions[gene] * member.decisions[gene];
      }
      const float variance = squares / count - sum / count * (sum / count);
      agreement[gene] = std::clamp(1 - 12 * variance, 0.0F, 1.0F);
    }
    return agreement;
  }

  /// The next best one; false when there are none left.
  bool take(std::span<float> genes) {
    if (members_.empty()) return false;
    std::ranges::copy(members_.back().decisions, genes.begin());
    members_.pop_back();
    return true;
  }

 private:
  struct Member {
    Score score;
    Decisions decisions;
  };
  std::vector<Member> members_;
};

class GuidedSearch final : public Optimizer {
 public:
  /// `family` says which of the built-in policies are meant where `policy` names none.
  GuidedSearch(const GuidedParameters& parameters, std::string family)
      : parameters_(parameters), family_(std::move(family)) {}

  bool plans_groups() const override { return true; }

  void run(Search& search) override {
    if (search.task().sites().empty()) return;
    if (!is_about_operations(search)) return Brkga(parameters_.brkga).run(search);
    const Policy policy = policy_in_use(search.problem().objective);
    const GraphView graph(search.problem());
    const std::unique_ptr<PlanGuide> guide = policy.kind().guide(policy, search, graph);
    if (guide == nullptr) fail_usage("policies of kind '{}' do not guide plans", policy.kind().name());
    Draws draws(search, *guide, parameters_);
    Seeds seeds(search, draws, parameters_.seeds);
    const Decisions sampled = search.task().encode(search.best_plan());
    evolve(search, draws, seeds);
    GuidedDescent descent(search, graph, guide->move_weights(), parameters_.descent);
    // What is best at first need not be where most can be gained, least so on graphs unlike those of the training.
    for (const Decisions& plan : {search.task().encode(search.start()), sampled})
      if (parameters_.race > 0)
        descent.run(plan, std::min(1.0, search.share_spent() + parameters_.race), DescentObjective::score);
    if (search.problem().objective == Objective::peak_bytes && search.share_spent() < parameters_.smooth)
      descent.run(search.task().encode(search.best_plan()), parameters_.smooth, DescentObjective::smooth_peak);
    descent.run(search.task().encode(search.best_plan()), 1, DescentObjective::score);
  }

  Parameters parameters() override { return parameters_.list(); }

 private:
  /// One that has learned nothing is made like the built-in one, so that nothing else tells them apart.
  Policy policy_in_use(const Objective& objective) const {
    const std::string builtin = policy_for(objective, family_);
    if (is_unlearned(parameters_.policy))
      return {unlearned_policy(parameters_.policy, form_of(Policy::load(builtin)), objective), parameters_.policy};
    return Policy::load(parameters_.policy.empty() ? builtin : parameters_.policy);
  }

  void evolve(Search& search, Draws& draws, Seeds& seeds) const {
    if (search.share_spent() >= parameters_.genetic) return;
    BrkgaParameters brkga = parameters_.brkga;
    brkga.until = parameters_.genetic;
    const std::vector<float> bias = biases(search, seeds);
    std::int64_t left = parameters_.mutants;
    const auto sample = [&](std::span<float> genes) {
      if (seeds.take(genes)) return true;
      if (left-- <= 0) return false;
      std::ranges::copy(draws.draw(), genes.begin());
      return true;
    };
    Brkga(brkga, {.bias = bias, .sample = sample}).run(search);
  }

  std::vector<float> biases(const Search& search, const Seeds& seeds) const {
    if (parameters_.pull == 0) return {};
    std::vector<float> biases = seeds.agreement(search.task().sites().size());
    for (float& bias : biases)
      bias = static_cast<float>(std::min(1.0, parameters_.brkga.bias + parameters_.pull * bias));
    return biases;
  }

  GuidedParameters parameters_;
  std::string family_;
};

OptimizerKind kind_of_family(std::string_view family, std::string_view about) {
  return {family, about,
          [family = std::string(family)](std::string_view text) -> std::unique_ptr<Optimizer> {
            GuidedParameters parameters;
            parameters.list().parse(text);
            if (names_a_file(parameters.policy))
              Policy::load(parameters.policy);  // mistakes are told before anything runs
            return std::make_unique<GuidedSearch>(parameters, family);
          },
          GuidedParameters().list().help()};
}

const OptimizerKind guided_kind =
    kind_of_family("guided", "genetic algorithm, then moves, by plans and picks of a trained policy");
const OptimizerKind gas_kind = kind_of_family("gas", "the same with a policy that reads the graph as a sequence");

}  // namespace
}  // namespace hone

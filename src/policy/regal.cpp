// REGAL: Paliwal et al., "Reinforced genetic algorithm learning for optimizing computation graphs", 2020. A policy that
// was trained on other graphs says what the genetic algorithm should try. Here it decides step by step, in view of what
// it has decided before (the autoregressive form), looks at the best plan so far, and so draws whole plans instead of
// one gene at a time: a whole generation after the genetic algorithm has worked alone for a while, and mutants.

#include <algorithm>
#include <nlohmann/json.hpp>

#include "optimize/brkga.h"
#include "policy/plan_sampler.h"

namespace hone {
namespace {

/// What can be chosen about the guided genetic algorithm.
struct RegalParameters {
  double alone = 0.3;
  std::int64_t seeds = 60;
  std::int64_t mutants = 40;
  double heat = 1;
  double spread = 8;
  double pull = 0;
  double refine = 0.4;
  BrkgaParameters brkga{.near = 0};

  Parameters list() {
    return Parameters()
        .add("alone", &alone, {0, 1}, "share of the budget that the genetic algorithm has before the policy is asked")
        .add("seeds", &seeds, {0, 1e6}, "plans drawn from the policy to begin with")
        .add("mutants", &mutants, {0, 1e6}, "mutants drawn from the policy in all; others are random")
        .add("heat", &heat, {0, 10}, "how freely plans are drawn: 0 takes what the policy likes best")
        .add("spread", &spread, {1, 100}, "the freest of them is drawn so many times as freely")
        .add("pull", &pull, {0, 0.4}, "how much likelier a child takes an elite's gene where the policy is certain")
        .add("refine", &refine, {0, 1}, "share of the budget that local search has at the end")
        .add("population", &brkga.population, {4, 1e6}, "chromosomes of a generation");
  }
};

/// Plans of the policy that have been evaluated, the best one last.
class Seeds {
 public:
  /// Draws and evaluates, a few at a time, so that later ones lean on the best so far.
  Seeds(Search& search, PlanSampler& sampler, const RegalParameters& parameters) {
    constexpr std::int64_t kAtATime = 12;
    const std::size_t sites = search.task().sites().size();
    for (std::int64_t drawn = 0; drawn < parameters.seeds && !search.spent();) {
      Decisions rows;
      for (std::int64_t i = 0; i < kAtATime && drawn < parameters.seeds; ++i, ++drawn) {
        const Decisions& decisions = sampler.draw(parameters.heat, parameters.spread);
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

class Regal final : public Optimizer {
 public:
  Regal(const RegalParameters& parameters, std::string policy) : parameters_(parameters), policy_(std::move(policy)) {}

  void run(Search& search) override {
    BrkgaParameters brkga = parameters_.brkga;
    brkga.until = 1 - parameters_.refine;
    if (search.problem().workload.work_count() == 0 || !search.start().group_of.empty()) {
      Brkga(brkga).run(search);  // a policy knows works only
    } else {
      if (parameters_.alone > 0) Brkga(BrkgaParameters{.until = parameters_.alone}).run(search);
      PlanSampler sampler(search, Policy::load(policy_.empty() ? policy_for(search.problem().objective) : policy_));
      Seeds seeds(search, sampler, parameters_);
      std::int64_t left = parameters_.mutants;
      const auto sample = [&](std::span<float> genes) {
        if (seeds.take(genes)) return true;
        if (left-- <= 0) return false;
        std::ranges::copy(sampler.draw(parameters_.heat, parameters_.spread), genes.begin());
        return true;
      };
      Brkga(brkga, {.bias = biases(search, seeds), .sample = sample}).run(search);
    }
    if (parameters_.refine > 0) make_optimizer("local")->run(search);
  }

  nlohmann::ordered_json json() override {
    nlohmann::ordered_json json = parameters_.list().json();
    json["policy"] = policy_;
    return json;
  }

 private:
  std::vector<float> biases(const Search& search, const Seeds& seeds) const {
    if (parameters_.pull == 0) return {};
    std::vector<float> biases = seeds.agreement(search.task().sites().size());
    for (float& bias : biases)
      bias = static_cast<float>(std::min(1.0, parameters_.brkga.bias + parameters_.pull * bias));
    return biases;
  }

  RegalParameters parameters_;
  std::string policy_;
};

/// Takes `policy=NAME` out of the parameters, which are numbers otherwise.
std::string take_policy(std::string& text) {
  constexpr std::string_view kKey = "policy=";
  std::size_t at = text.starts_with(kKey) ? 0 : text.find("," + std::string(kKey));
  if (at == std::string::npos) return "";
  if (at > 0) ++at;
  const std::size_t end = std::min(text.find(',', at), text.size());
  const std::string name = text.substr(at + kKey.size(), end - at - kKey.size());
  const std::size_t first = at > 0 ? at - 1 : 0;
  text.erase(first, (at > 0 ? end : std::min(end + 1, text.size())) - first);
  return name;
}

const OptimizerKind regal_kind(
    "regal", "genetic algorithm that a trained policy guides",
    [](std::string_view given) -> std::unique_ptr<Optimizer> {
      std::string text(given);
      std::string policy = take_policy(text);
      RegalParameters parameters;
      parameters.list().parse(text);
      if (!policy.empty()) Policy::load(policy);  // mistakes are told before anything runs
      return std::make_unique<Regal>(parameters, std::move(policy));
    },
    RegalParameters().list().help() +
        "  policy=  a built-in policy, `untrained` or a file; the one for the objective if empty\n");

}  // namespace
}  // namespace hone

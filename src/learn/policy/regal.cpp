// REGAL: Paliwal et al., "Reinforced genetic algorithm learning for optimizing computation graphs", 2020. A network
// that was trained on other graphs says once, before the search, from which distributions the genes of mutants are
// drawn and how likely each gene is inherited from elites. With that the genetic algorithm has the whole budget to
// itself.

#include "base/error.h"
#include "learn/policy/gene_policy.h"
#include "learn/policy/operations_alone.h"
#include "learn/policy/unlearned_policy.h"
#include "plan/methods/brkga.h"

namespace hone {
namespace {

constexpr std::uint64_t kChoiceStream = 0x6E6E;  // of random numbers, apart from that of the genetic algorithm

/// What policies are made like that have learned nothing.
PolicyForm regal_form() { return {&gene_policy(GeneOrder::independent), {.encoder = &edge_encoder}}; }

/// What can be chosen about REGAL.
struct RegalParameters {
  std::string policy;
  double temperature = 0;  // noise of single operations is for training
  double memory_near = 0, time_near = BrkgaParameters().near;
  BrkgaParameters brkga;

  Parameters list() {
    return Parameters()
        .add("policy", &policy,
             "a built-in policy or a file; `untrained`: weights at random; `zero-step`: what learning starts from; the "
             "one for the objective if empty")
        .add("temperature", &temperature, {0, 10},
             "how freely choices about genes are drawn: 1 as in training, 0 takes the likeliest")
        .add("population", &brkga.population, {4, 1e6}, "chromosomes of a generation")
        .add("elite", &brkga.elite, {0.01, 0.5}, "share of a generation that lives on")
        .add("mutants", &brkga.mutants, {0, 0.5}, "share of a generation that is drawn as the policy says")
        .add("memory_near", &memory_near, {0, 1},
             "share of the first generation that is the start with some genes drawn anew, where memory counts")
        .add("time_near", &time_near, {0, 1}, "the same where it does not");
  }

  /// Where nothing is decided all is on one device: a poor start for memory, a fair one for time.
  BrkgaParameters for_objective(const Objective& objective) const {
    BrkgaParameters chosen = brkga;
    chosen.near = objective.asks_for(Measure::memory) ? memory_near : time_near;
    return chosen;
  }
};

class Regal final : public Optimizer {
 public:
  explicit Regal(const RegalParameters& parameters) : parameters_(parameters) {
    if (names_a_file(parameters.policy))
      checked(Policy::load(parameters.policy));  // mistakes are told before anything runs
  }

  bool plans_groups() const override { return true; }

  void run(Search& search) override {
    if (search.task().sites().empty()) return;
    if (!is_about_operations(search)) return Brkga(parameters_.brkga).run(search);
    const Policy policy = checked(policy_for(search.problem().objective));
    const GraphView graph(search.problem());
    Rng rng = search.rng().split(kChoiceStream);
    const std::vector<GeneChoice> choices = GeneDistribution(graph, policy).draw(parameters_.temperature, rng);
    Brkga(parameters_.for_objective(search.problem().objective), guidance_of(choices, search.task())).run(search);
  }

  Parameters parameters() override { return parameters_.list(); }

 private:
  static Policy checked(Policy policy) {
    as_gene_policy(policy.kind());
    return policy;
  }

  Policy policy_for(const Objective& objective) const {
    if (is_unlearned(parameters_.policy))
      return {unlearned_policy(parameters_.policy, regal_form(), objective), parameters_.policy};
    return Policy::load(parameters_.policy.empty() ? hone::policy_for(objective, "regal") : parameters_.policy);
  }

  RegalParameters parameters_;
};

const OptimizerKind regal_kind =
    OptimizerKind::with_parameters<Regal, RegalParameters>("regal", "genetic algorithm whose genes a policy guides");

}  // namespace
}  // namespace hone

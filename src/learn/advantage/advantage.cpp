// "Learning local advantage functions for generalizable graph optimizations", 2021: a policy that was trained on other
// graphs says what single decisions are worth, and a search changes those that matter.

#include "base/error.h"
#include "learn/advantage/guided_walk.h"
#include "learn/advantage/timed_walk.h"
#include "learn/policy/unlearned_policy.h"
#include "plan/search/optimizer.h"

namespace hone {
namespace {

constexpr std::string_view kUnguided = "none";

class AdvantageSearch final : public Optimizer {
 public:
  explicit AdvantageSearch(const AdvantageParameters& parameters) : parameters_(parameters) {
    if (names_a_file(parameters.policy) && parameters.policy != kUnguided)
      advantage_policy_named(parameters.policy, Objective::seconds);  // mistakes are told before anything runs
  }

  bool plans_groups() const override { return true; }
  Parameters parameters() override { return parameters_.list(); }

  void run(Search& search) override {
    const DecisionUnits units(search.problem(), search.task());
    if (units.single_count() == 0) return;
    if (parameters_.policy == kUnguided || !is_known(search, units)) {
      UnguidedWalk(search, units, parameters_).run();
      return;
    }
    if (follows_times() && TimedWalk::is_possible(search)) {
      TimedWalk(search, units, parameters_).run();
      return;
    }
    const Policy policy =
        advantage_policy_named(parameters_.policy.empty() ? usual_advantage_policy(search.task()) : parameters_.policy,
                               search.problem().objective);
    GuidedWalk(search, units, parameters_, policy).run();
  }

 private:
  /// Whether all is done that can be, and not one of the forms it is compared with.
  bool follows_times() const {
    return parameters_.rank == "signed" && parameters_.flips == "many" && parameters_.learning == "online";
  }

  /// Whether policies can say anything: of decisions about kernels or devices, made by operation.
  static bool is_known(const Search& search, const DecisionUnits& units) {
    if (!search.start().group_of.empty() && !search.task().decides_groups()) return false;
    for (std::size_t i = 0; i < units.single_count(); ++i)
      if (const PlanField field = units.at(i).field; field == PlanField::group || field == PlanField::device)
        return true;
    return false;
  }

  AdvantageParameters parameters_;
};

const OptimizerKind advantage_kind = OptimizerKind::with_parameters<AdvantageSearch, AdvantageParameters>(
    "advantage", "changes the decisions that a policy says matter");

}  // namespace
}  // namespace hone

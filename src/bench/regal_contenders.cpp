#include "bench/regal_contenders.h"

#include <algorithm>

#include "base/error.h"

namespace hone {
namespace {

using enum RegalContender::Kind;

const std::vector<RegalContender> kContenders = {
    {"brkga", "tuned genetic algorithm"},
    {"guided", "all of it"},
    {"guided:policy=untrained", "a policy of the same kind with weights drawn at random"},
    {"guided:policy=zero-step", "the policy that learning starts from"},
    {"memory-order+brkga", "genetic algorithm from the order that policies lean on"},
    {"regal", "a policy for the genes of the genetic algorithm, as published"},
    {"gas", "a policy that reads the graph as a sequence"},
    {"local", "local search"},
    {"random", "random plans"},
    {"guided:policy=guided-memory-stepwise", "plans drawn step by step, not gene by gene", ablation},
    {"guided:policy=guided-memory-flat", "the same without message passing", ablation},
    {"guided:smooth=0", "moves judged by the peak alone, not by the smooth one", ablation},
    {"guided:genetic=1,seeds=0,mutants=40", "policy for mutants only", ablation},
    {"guided:genetic=1", "policy for the first population and mutants, no moves", ablation},
    {"guided:seeds=0,mutants=0", "policy for moves only", ablation},
    {"guided:offers=1", "policy without a say in moves", ablation},
    {"guided:seeds=0,mutants=0,offers=1", "the same search without any policy", ablation},
    {"brkga:until=0.3+local", "genetic algorithm, then local search", ablation},
};

}  // namespace

std::string_view name_of(RegalOrigin origin) {
  constexpr std::string_view kNames[] = {"test", "large", "xla"};
  return kNames[static_cast<std::size_t>(origin)];
}

bool RegalContender::takes_part(const RegalSetting& setting) const {
  const bool is_judged = setting.origin == RegalOrigin::test && setting.problem.objective == Objective::peak_bytes;
  return kind == rival || is_judged;
}

const std::vector<RegalContender>& regal_contenders() { return kContenders; }

std::size_t regal_contender(std::string_view optimizer) {
  const auto found = std::ranges::find(regal_contenders(), optimizer, &RegalContender::optimizer);
  HONE_CHECK(found != regal_contenders().end(), "'{}' is not in the table", optimizer);
  return static_cast<std::size_t>(found - regal_contenders().begin());
}

}  // namespace hone

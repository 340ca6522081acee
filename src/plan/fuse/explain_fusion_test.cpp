#include "plan/fuse/explain_fusion.h"

#include <gtest/gtest.h>

#include "plan/fuse/check_fusion.h"
#include "plan/fuse/random_loops_test.h"
#include "plan/fuse/regroup.h"
#include "plan/search/task.h"

namespace hone {
namespace {

TEST(Tmp, Rates) {
  std::map<std::string, int> n;
  for (std::size_t graph = 0; graph < 3000; ++graph) {
    Rng rng(graph);
    const Problem problem = random_loops(rng, 4 + rng.below(12));
    Plan plan = undecided_plan(problem);
    const char* form = std::array{"fuse", "fuse-levels:levels=3", "fuse-edges"}[graph % 3];
    const auto task = make_task(problem, form, plan);
    Decisions keys(task->sites().size());
    for (float& key : keys) key = static_cast<float>(rng.below(1 << 24)) * 0x1.0p-24F;
    task->apply(keys, plan);
    if (plan.group_of.empty()) continue;
    const FusionGraph g(problem);
    std::string f(form);
    n[f + (regroup(problem, g, plan).plan == plan ? " same" : "")]++;
    for (int k = 0; k < 5; ++k) {
      OperationId x(rng.below(g.size())), y(rng.below(g.size()));
      if (x == y) continue;
      const auto e = explain_fusion(problem, plan, x, y);
      if (!e.shared.empty()) { n["together"]++; continue; }
      if (e.way.empty()) { n["unrelated"]++; continue; }
      for (const auto& c : e.changes) {
        std::string w = c.way == FusionChange::Way::merged ? "merged " : "inlined ";
        if (c.refusal == Refusal::none) w += c.kernels_then == 0 ? "NOTHING" : "legal";
        else w += std::string(text_of(c.refusal));
        n[w]++;
        if (c.kernels_then == 0 && c.refusal == Refusal::none && n[w] < 4) std::cout << w << " graph " << graph << " " << x.index() << " " << y.index() << " " << e.producer.index() << " " << e.reader.index() << form << "\n";
      }
    }
  }
  for (auto& [k, v] : n) std::cout << k << ": " << v << "\n";
}

}  // namespace
}  // namespace hone

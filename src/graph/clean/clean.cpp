#include "graph/clean/clean.h"

#include <functional>

#include "graph/ops/infer.h"

namespace hone {
namespace {

// Each round strictly shrinks the model, so this only stops a pass that lies about having changed something.
constexpr int kMaxRounds = 20;

struct Pass {
  std::string_view name;
  std::function<std::size_t(Model&, const CleanOptions&)> run;
};

const std::vector<Pass>& passes() {
  static const std::vector<Pass> list{
      {"separate-names", [](Model& model, const CleanOptions&) { return separate_names(model); }},
      {"fold-constants", fold_constants},
      {"remove-identities", [](Model& model, const CleanOptions&) { return remove_identities(model); }},
      {"merge-common-subexpressions",
       [](Model& model, const CleanOptions&) { return merge_common_subexpressions(model); }},
      {"remove-dead-code", [](Model& model, const CleanOptions&) { return remove_dead_code(model); }},
  };
  return list;
}

}  // namespace

CleanReport clean(Model& model, const CleanOptions& options) {
  CleanReport report{.changes = {}, .nodes_before = model.graph.node_count(), .nodes_after = 0};
  for (const Pass& pass : passes()) report.changes.emplace_back(pass.name, 0);
  infer_types(model);
  const int rounds = model.graph.outputs().empty() ? 0 : kMaxRounds;  // what is an output is not told: all stays
  for (int round = 0; round < rounds; ++round) {
    std::size_t changes = 0;
    for (std::size_t i = 0; i < passes().size(); ++i) {
      const std::size_t count = passes()[i].run(model, options);
      report.changes[i].second += count;
      changes += count;
    }
    if (changes == 0) break;
    infer_types(model);
  }
  report.nodes_after = model.graph.node_count();
  return report;
}

}  // namespace hone

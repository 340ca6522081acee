#include "base/timer.h"
#include "bench/bench_run.h"
#include "graph/ops/infer.h"
#include "learn/rewrite/rewrite_policy.h"
#include "plan/machine/machine_file.h"
#include "run/measure/statistics.h"

// How long a policy of rewriting takes for one decision, from a state to the logits of all its candidates, by the size
// of the graph and the number of candidates. Graphs are chains, of which some nodes can be made one.

namespace hone {
namespace {

/// Nodes in many chains beside each other; `candidates` pairs of them are the same operator twice.
Model chains(std::size_t nodes, std::size_t candidates) {
  constexpr std::size_t kChain = 200;
  Model model;
  model.opsets.imports = {{"", 17}};
  model.ir_version = 8;
  Graph& graph = model.graph;
  const Type type = Type::tensor(ElementType::float32, {Dim(64), Dim(64)});
  const OpName* relu = OpName::intern("", "Relu", "");
  const OpName* sigmoid = OpName::intern("", "Sigmoid", "");
  ValueId value;
  for (std::size_t i = 0; i < nodes; ++i) {
    if (i % kChain == 0) value = graph.add_input("x" + std::to_string(i), type);
    const bool is_pair = (i % 4) / 2 == 0 && i / 4 < candidates;
    const ValueId inputs[] = {value};
    value = graph.add(is_pair ? relu : sigmoid, inputs);
    graph.rename(value, "v" + std::to_string(i));
    if (i % kChain == kChain - 1 || i + 1 == nodes) graph.add_output(value);
  }
  infer_types(model);
  return model;
}

nlohmann::ordered_json decision_row(std::size_t nodes, std::size_t candidates, bool quick) {
  const Model model = chains(nodes, candidates);
  const RooflinePricing pricing(load_machine("cpu-gpu"), model.opsets);
  const RewriteSpace space(model, Matcher(select_rules("relu-relu"), RuleSetting::of(model)), pricing);
  const Policy policy = rewrite_policy_named("zero-step", rewrite_policy());
  std::vector<double> seconds;
  std::size_t offered = 0;
  for (int repeat = 0; repeat < (quick ? 1 : 5); ++repeat) {
    const Timer timer;
    const std::vector<RewriteOption> options = space.options(*space.start());
    const RewriteScene scene = rewrite_policy().scene({space, *space.start(), options, 1});
    offered = rewrite_policy().scores(policy, scene).logits.size() - 1;
    seconds.push_back(timer.seconds());
  }
  return {{"nodes", model.graph.node_count()}, {"candidates", offered}, {"decision_ms", 1e3 * median(seconds)}};
}

BenchReport run_rewrite_decision(const BenchOptions& options) {
  BenchReport report;
  for (const std::size_t nodes : {1'000U, 5'000U, 20'000U})
    report.rows.push_back(decision_row(nodes, nodes / 4, options.quick));
  report.summary = {{"ms_20k", report.rows.back()["decision_ms"]}};
  return report;
}

const BenchRun rewrite_decision("rewrite-decision", run_rewrite_decision);

}  // namespace
}  // namespace hone

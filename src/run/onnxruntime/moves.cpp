#include "run/onnxruntime/moves.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace hone::ort {
namespace {

/// One of ONNX Runtime's optimisers and the operators without which it has nothing to do.
struct Optimizer {
  const char* name;
  std::vector<std::string_view> needs;  // any of these; empty for all models
  OptionRange range;
};

const std::vector<Optimizer>& optimizers() {
  static const std::vector<Optimizer> list{
      {"SkipLayerNormFusion", {"LayerNormalization", "ReduceMean"}, OptionRange::likely},
      {"MatMulAddFusion", {"MatMul"}, OptionRange::likely},
      {"MatmulTransposeFusion", {"MatMul"}, OptionRange::all},
      {"MatMulScaleFusion", {"MatMul"}, OptionRange::all},
      {"TransposeOptimizer", {"Transpose"}, OptionRange::likely},
      {"GatherSliceToSplitFusion", {"Gather", "Slice"}, OptionRange::all},
      {"GeluFusion", {"Erf"}, OptionRange::all},
      {"LayerNormFusion", {"ReduceMean"}, OptionRange::all},
      {"QuickGeluFusion", {"Sigmoid"}, OptionRange::all},
      {"ConvActivationFusion", {"Conv"}, OptionRange::all},
      {"ConvAddActivationFusion", {"Conv"}, OptionRange::all},
      {"NchwcTransformer", {"Conv"}, OptionRange::all},
      {"ConstantSharing", {}, OptionRange::all},
  };
  return list;
}

std::set<std::string_view> operators_of(const Graph& graph) {
  std::set<std::string_view> names;
  for (const NodeId id : graph.nodes()) names.insert(graph.node(id).op->name);
  return names;
}

SessionChange single(std::string name, std::function<bool(SessionOptions&)> apply) {
  return {.name = std::move(name), .kind = OptionKind::single, .apply = std::move(apply)};
}

SessionChange without_optimizer(const std::string& optimizer) {
  return single("without " + optimizer, [optimizer](SessionOptions& session) {
    if (std::ranges::count(session.disabled_optimizers, optimizer) > 0) return false;
    session.disabled_optimizers.push_back(optimizer);
    return true;
  });
}

SessionChange at_level(const char* word, OptimizationLevel level) {
  return {.name = fmt::format("level {}", word), .kind = OptionKind::level, .apply = [level](SessionOptions& session) {
            return std::exchange(session.level, level) != level;
          }};
}

/// Threads of the session's own that sleep while they wait, which leaves the processor to others.
void without_spinning(SessionOptions& session, std::size_t threads) {
  session.own_threads = true;
  session.intra_threads = static_cast<int>(threads);
  session.entries.emplace_back("session.intra_op.allow_spinning", "0");
}

void add_thread_changes(std::vector<SessionChange>& changes, std::size_t threads) {
  changes.push_back(single("threads without spinning", [threads](SessionOptions& session) {
    if (session.own_threads) return false;
    without_spinning(session, threads);
    return true;
  }));
  changes.push_back(single("parallel nodes", [threads](SessionOptions& session) {
    if (session.mode == ExecutionMode::parallel) return false;
    if (!session.own_threads) without_spinning(session, threads);
    session.mode = ExecutionMode::parallel;
    session.inter_threads = static_cast<int>(threads);
    session.entries.emplace_back("session.inter_op.allow_spinning", "0");
    return true;
  }));
}

}  // namespace

std::vector<SessionChange> session_changes(const Model& model, std::size_t threads, OptionRange range) {
  const std::set<std::string_view> present = operators_of(model.graph);
  std::vector<SessionChange> changes;
  for (const Optimizer& each : optimizers()) {
    const bool useful =
        each.needs.empty() || std::ranges::any_of(each.needs, [&](auto op) { return present.contains(op); });
    if (useful && (range == OptionRange::all || each.range == OptionRange::likely))
      changes.push_back(without_optimizer(each.name));
  }
  if (range == OptionRange::all) {
    changes.push_back(single("without memory pattern",
                             [](SessionOptions& session) { return std::exchange(session.memory_pattern, false); }));
    changes.push_back(
        single("without arena", [](SessionOptions& session) { return std::exchange(session.arena, false); }));
    changes.push_back(single("without prepacking", [](SessionOptions& session) {
      const std::pair<std::string, std::string> entry{"session.disable_prepacking", "1"};
      if (std::ranges::count(session.entries, entry) > 0) return false;
      session.entries.push_back(entry);
      return true;
    }));
    if (threads > 1) add_thread_changes(changes, threads);
  }
  changes.push_back(at_level("extended", OptimizationLevel::extended));
  changes.push_back(at_level("basic", OptimizationLevel::basic));
  return changes;
}

}  // namespace hone::ort

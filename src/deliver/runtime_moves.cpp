#include "deliver/runtime_moves.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace hone {
namespace {

using ort::OptimizationLevel;

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

Move option(std::string name, std::function<bool(ort::SessionOptions&)> change) {
  return {
      .part = Part::runtime, .name = name, .apply = [name, change](const Proposal& from) -> std::optional<Proposal> {
        Proposal to = from;
        if (!change(to.session)) return std::nullopt;
        to.steps.push_back({.part = Part::runtime, .name = name});
        return to;
      }};
}

Move without_optimizer(const std::string& optimizer) {
  return option("without " + optimizer, [optimizer](ort::SessionOptions& session) {
    if (std::ranges::count(session.disabled_optimizers, optimizer) > 0) return false;
    session.disabled_optimizers.push_back(optimizer);
    return true;
  });
}

Move at_level(const char* word, OptimizationLevel level) {
  return option(fmt::format("level {}", word),
                [level](ort::SessionOptions& session) { return std::exchange(session.level, level) != level; });
}

/// Threads of the session's own that sleep while they wait, which leaves the processor to others.
void without_spinning(ort::SessionOptions& session, std::size_t threads) {
  session.own_threads = true;
  session.intra_threads = static_cast<int>(threads);
  session.entries.emplace_back("session.intra_op.allow_spinning", "0");
}

void add_thread_moves(std::vector<Move>& moves, std::size_t threads) {
  moves.push_back(option("threads without spinning", [threads](ort::SessionOptions& session) {
    if (session.own_threads) return false;
    without_spinning(session, threads);
    return true;
  }));
  moves.push_back(option("parallel nodes", [threads](ort::SessionOptions& session) {
    if (session.mode == ort::ExecutionMode::parallel) return false;
    if (!session.own_threads) without_spinning(session, threads);
    session.mode = ort::ExecutionMode::parallel;
    session.inter_threads = static_cast<int>(threads);
    session.entries.emplace_back("session.inter_op.allow_spinning", "0");
    return true;
  }));
}

const char* level_name(OptimizationLevel level) {
  switch (level) {
    case OptimizationLevel::none: return "ORT_DISABLE_ALL";
    case OptimizationLevel::basic: return "ORT_ENABLE_BASIC";
    case OptimizationLevel::extended: return "ORT_ENABLE_EXTENDED";
    case OptimizationLevel::layout: return "ORT_ENABLE_LAYOUT";
    case OptimizationLevel::all: return "ORT_ENABLE_ALL";
  }
  return "ORT_ENABLE_ALL";
}

}  // namespace

std::vector<Move> runtime_moves(const Model& model, std::size_t threads, OptionRange range) {
  const std::set<std::string_view> present = operators_of(model.graph);
  std::vector<Move> moves;
  for (const Optimizer& each : optimizers()) {
    const bool useful =
        each.needs.empty() || std::ranges::any_of(each.needs, [&](auto op) { return present.contains(op); });
    if (useful && (range == OptionRange::all || each.range == OptionRange::likely))
      moves.push_back(without_optimizer(each.name));
  }
  if (range == OptionRange::all) {
    moves.push_back(option("without memory pattern",
                           [](ort::SessionOptions& session) { return std::exchange(session.memory_pattern, false); }));
    moves.push_back(
        option("without arena", [](ort::SessionOptions& session) { return std::exchange(session.arena, false); }));
    moves.push_back(option("without prepacking", [](ort::SessionOptions& session) {
      const std::pair<std::string, std::string> entry{"session.disable_prepacking", "1"};
      if (std::ranges::count(session.entries, entry) > 0) return false;
      session.entries.push_back(entry);
      return true;
    }));
    if (threads > 1) add_thread_moves(moves, threads);
  }
  moves.push_back(at_level("extended", OptimizationLevel::extended));
  moves.push_back(at_level("basic", OptimizationLevel::basic));
  return moves;
}

nlohmann::ordered_json session_json(const ort::SessionOptions& session, std::size_t threads) {
  nlohmann::ordered_json object{{"graph_optimization_level", level_name(session.level)},
                                {"intra_op_num_threads", threads}};
  if (session.mode == ort::ExecutionMode::parallel) {
    object["execution_mode"] = "ORT_PARALLEL";
    object["inter_op_num_threads"] = session.inter_threads;
  }
  if (!session.memory_pattern) object["enable_mem_pattern"] = false;
  if (!session.arena) object["enable_cpu_mem_arena"] = false;
  nlohmann::ordered_json entries = nlohmann::ordered_json::object();
  if (!session.disabled_optimizers.empty())
    entries["optimization.disable_specified_optimizers"] =
        fmt::format("{}", fmt::join(session.disabled_optimizers, ";"));
  for (const auto& [key, value] : session.entries) entries[key] = value;
  if (!entries.empty()) object["session_config_entries"] = entries;
  return object;
}

std::string session_snippet(const nlohmann::ordered_json& session, const std::string& model_file) {
  std::string lines = "import onnxruntime as ort\noptions = ort.SessionOptions()\n";
  for (const auto& [key, value] : session.items()) {
    const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    if (key == "session_config_entries") {
      for (const auto& [name, entry] : value.items())
        lines += fmt::format("options.add_session_config_entry(\"{}\", \"{}\")\n", name, entry.get<std::string>());
    } else if (key == "graph_optimization_level") {
      lines += fmt::format("options.{} = ort.GraphOptimizationLevel.{}\n", key, text);
    } else if (key == "execution_mode") {
      lines += fmt::format("options.{} = ort.ExecutionMode.{}\n", key, text);
    } else {
      lines +=
          fmt::format("options.{} = {}\n", key, value.is_boolean() ? (value.get<bool>() ? "True" : "False") : text);
    }
  }
  return lines + fmt::format("session = ort.InferenceSession(\"{}\", options)\n", model_file);
}

}  // namespace hone

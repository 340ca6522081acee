#include "run/onnxruntime/session_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <nlohmann/json.hpp>

#include "base/error.h"

namespace hone::ort {
namespace {

struct NamedLevel {
  std::string_view name;
  OptimizationLevel level;
};
constexpr std::array kLevels{NamedLevel{"none", OptimizationLevel::none}, NamedLevel{"basic", OptimizationLevel::basic},
                             NamedLevel{"extended", OptimizationLevel::extended},
                             NamedLevel{"layout", OptimizationLevel::layout},
                             NamedLevel{"all", OptimizationLevel::all}};

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

OptimizationLevel level_named(std::string_view name) {
  std::string lower(name);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const auto found = std::ranges::find(kLevels, std::string_view(lower), &NamedLevel::name);
  if (found == kLevels.end()) fail_usage("a level is one of none, basic, extended, layout and all, not '{:.60}'", name);
  return found->level;
}

nlohmann::ordered_json session_json(const SessionOptions& session, std::size_t threads) {
  nlohmann::ordered_json object{{"graph_optimization_level", level_name(session.level)},
                                {"intra_op_num_threads", threads}};
  if (session.mode == ExecutionMode::parallel) {
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

}  // namespace hone::ort

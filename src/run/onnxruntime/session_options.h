#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hone::ort {

/// How much ONNX Runtime may rewrite a graph; files saved at `layout` or `all` fit this kind of processor only.
enum class OptimizationLevel { none = 0, basic = 1, extended = 2, layout = 3, all = 99 };

/// Whether independent nodes may run at the same time.
enum class ExecutionMode { sequential = 0, parallel = 1 };

/// How a session is made.
struct SessionOptions {
  OptimizationLevel level = OptimizationLevel::all;
  std::vector<std::string> disabled_optimizers;  // by ONNX Runtime's names: `ConstantFolding`
  int intra_threads = 1;                         // that share one node; the environment's where it has threads
  bool own_threads = false;                      // even where the environment has threads
  int inter_threads = 1;                         // that run nodes side by side, in parallel mode
  ExecutionMode mode = ExecutionMode::sequential;
  bool memory_pattern = true;             // plan memory from the shapes of the first run
  bool arena = true;                      // keep freed memory for later runs
  bool shared_arena = false;              // of an environment with threads: its memory serves all such sessions
  std::filesystem::path profile;          // prefix of a profile file; none when empty
  std::filesystem::path optimized_model;  // file to save the rewritten graph to; none when empty
  std::vector<std::pair<std::string, std::string>> entries;  // ONNX Runtime's own keys and values
  friend bool operator==(const SessionOptions&, const SessionOptions&) = default;
};

/// The level of that name: `none`, `basic`, `extended`, `layout` or `all`. Throws InputError (usage) for any other.
OptimizationLevel level_named(std::string_view name);

/// Options under the names that ONNX Runtime's interfaces have for them, only those that differ from its defaults.
nlohmann::ordered_json session_json(const SessionOptions& session, std::size_t threads);

/// Lines of Python that make a session with the options that `session_json` describes.
std::string session_snippet(const nlohmann::ordered_json& session, const std::string& model_file);

}  // namespace hone::ort

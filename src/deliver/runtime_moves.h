#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "deliver/proposal.h"

namespace hone {

/// Which of ONNX Runtime's options to try.
enum class OptionRange {
  likely,  // those that have been seen to pay on some model
  all,
};

/// Changes of ONNX Runtime's options that could make this model faster with so many threads; levels come last, since
/// they decide what everything before them is worth. Options that act on the whole process are left out: no two
/// sessions could be compared.
std::vector<Move> runtime_moves(const Model& model, std::size_t threads, OptionRange range);

/// Options under the names that ONNX Runtime's interfaces have for them, only those that differ from its defaults.
nlohmann::ordered_json session_json(const ort::SessionOptions& session, std::size_t threads);

/// Lines of Python that make a session with these options.
std::string session_snippet(const nlohmann::ordered_json& session, const std::string& model_file);

}  // namespace hone

#pragma once

#include <filesystem>

#include "graph/ir/model.h"
#include "run/onnxruntime/session.h"
#include "run/verify/equivalence.h"

namespace hone {

/// A model file on ONNX Runtime and the model it holds, whose types must be static.
struct RuntimeModel {
  const Model& model;
  std::filesystem::path file;
  ort::SessionOptions session;
};

/// Runs both on ONNX Runtime in a child process and compares the second with the first. `library` as in Library::load.
Equivalence check_on_runtime(const RuntimeModel& reference, const RuntimeModel& candidate,
                             const EquivalenceOptions& options, const std::string& library);

}  // namespace hone

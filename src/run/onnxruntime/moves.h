#pragma once

#include <functional>
#include <string>
#include <vector>

#include "graph/ir/model.h"
#include "run/onnxruntime/session_options.h"
#include "run/runtime/runtime.h"

namespace hone::ort {

/// A change of a session's options; it says whether there was anything to change.
struct SessionChange {
  std::string name;
  OptionKind kind = OptionKind::single;
  std::function<bool(SessionOptions&)> apply;
};

/// Changes that could make this model faster with so many threads. Options that act on the whole process are left out:
/// no two sessions could be compared.
std::vector<SessionChange> session_changes(const Model& model, std::size_t threads, OptionRange range);

}  // namespace hone::ort

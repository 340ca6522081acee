#pragma once

#include "graph/clean/clean.h"
#include "graph/ops/infer.h"
#include "zoo/registry.h"

namespace hone {

/// A model of the zoo as rewriting takes it: clean, with types.
inline Model clean_zoo_model(std::string_view spec) {
  Model model = build_zoo(spec);
  clean(model);
  infer_types(model);
  return model;
}

}  // namespace hone

#pragma once

#include <string>
#include <vector>

#include "zoo/registry.h"

namespace hone {

/// Every model of the zoo.
inline std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const zoo::ZooModel* model : zoo::zoo_models()) names.push_back(model->name);
  return names;
}

}  // namespace hone

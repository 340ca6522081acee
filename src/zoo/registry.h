#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/registered.h"
#include "graph/ir/model.h"
#include "zoo/settings.h"

namespace hone {

namespace zoo {
class Builder;

/// A model hone can build by itself.
struct ZooModel {
  std::string name;
  std::string description;            // one line
  std::vector<Parameter> parameters;  // its own; `shared_parameters` come on top
  void (*build)(Builder&, const Settings&) = nullptr;
};

/// Models that join the zoo by existing: define one at namespace scope in the family's file.
class ZooFamily : public RegisteredTable<ZooFamily, ZooModel> {
 public:
  using RegisteredTable::RegisteredTable;
};

/// Parameters every model has: how weights are kept, the element type, training.
std::span<const Parameter> shared_parameters();

/// All models by name.
std::vector<const ZooModel*> zoo_models();

}  // namespace zoo

/// True for `zoo:...`.
inline bool is_zoo_spec(std::string_view spec) { return spec.starts_with("zoo:"); }

/// Builds `squeezenet`, `bert:layers=8,batch=32`, with or without `zoo:` in front. Every value has its static type.
/// Throws InputError (usage) for an unknown model or parameter, with the nearest name there is.
Model build_zoo(std::string_view spec);

}  // namespace hone

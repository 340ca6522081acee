#include "core/optimizer.h"

#include <algorithm>

#include "base/error.h"

namespace hone {
namespace {

std::vector<const OptimizerKind*>& registered() {
  static std::vector<const OptimizerKind*> kinds;
  return kinds;
}

}  // namespace

OptimizerKind::OptimizerKind(std::string_view name, std::string_view summary, Make factory, std::string help)
    : name_(name), summary_(summary), make_(std::move(factory)), help_(std::move(help)) {
  registered().push_back(this);
}

std::vector<const OptimizerKind*> OptimizerKind::all() {
  std::vector<const OptimizerKind*> kinds = registered();
  std::ranges::sort(kinds, {}, &OptimizerKind::name);
  return kinds;
}

std::unique_ptr<Optimizer> make_optimizer(std::string_view spec) {
  const std::size_t colon = spec.find(':');
  const std::string_view name = spec.substr(0, colon);
  std::vector<std::string_view> names;
  for (const OptimizerKind* kind : OptimizerKind::all()) {
    if (kind->name() == name) return kind->make(colon == std::string_view::npos ? "" : spec.substr(colon + 1));
    names.push_back(kind->name());
  }
  fail_usage("there is no optimiser '{:.60}', there are {}", name, fmt::join(names, ", "));
}

}  // namespace hone

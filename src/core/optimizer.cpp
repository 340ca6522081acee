#include "core/optimizer.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/error.h"

namespace hone {
namespace {

std::vector<const OptimizerKind*>& registered() {
  static std::vector<const OptimizerKind*> kinds;
  return kinds;
}

const OptimizerKind& find_kind(std::string_view name) {
  std::vector<std::string_view> names;
  for (const OptimizerKind* kind : OptimizerKind::all()) {
    if (kind->name() == name) return *kind;
    names.push_back(kind->name());
  }
  fail_usage("there is no optimiser '{:.60}', there are {}", name, fmt::join(names, ", "));
}

/// Several optimisers, one after another.
class Sequence final : public Optimizer {
 public:
  void add(std::string_view spec) {
    const std::size_t colon = std::min(spec.find(':'), spec.size());
    const std::string_view name = spec.substr(0, colon);
    spec.remove_prefix(std::min(colon + 1, spec.size()));
    steps_.push_back({std::string(name), find_kind(name).make(spec)});
  }

  void run(Search& search) override {
    for (const Step& step : steps_) step.optimizer->run(search);
  }

  nlohmann::ordered_json json() override {
    nlohmann::ordered_json object = nlohmann::ordered_json::object();
    for (const Step& step : steps_) object[step.name] = step.optimizer->json();
    return object;
  }

 private:
  struct Step {
    std::string name;
    std::unique_ptr<Optimizer> optimizer;
  };
  std::vector<Step> steps_;
};

}  // namespace

nlohmann::ordered_json Optimizer::json() { return parameters().json(); }

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
  auto sequence = std::make_unique<Sequence>();
  for (std::size_t plus = spec.find('+'); plus != std::string_view::npos; plus = spec.find('+')) {
    sequence->add(spec.substr(0, plus));
    spec.remove_prefix(plus + 1);
  }
  sequence->add(spec);
  return sequence;
}

}  // namespace hone

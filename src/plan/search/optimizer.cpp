#include "plan/search/optimizer.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"

namespace hone {
namespace {

/// Several optimisers, one after another.
class Sequence final : public Optimizer {
 public:
  void add(std::string_view spec) {
    steps_.push_back({std::string(spec.substr(0, spec.find(':'))), OptimizerKind::make_by(spec)});
  }

  void run(Search& search) override {
    for (const Step& step : steps_) {
      if (!search.start().group_of.empty() && !step.optimizer->plans_groups())
        fail_usage("optimiser '{}' decides for single operations, but this plan has groups", step.name);
      step.optimizer->run(search);
    }
  }

  bool plans_groups() const override {
    return std::ranges::all_of(steps_, [](const Step& step) { return step.optimizer->plans_groups(); });
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

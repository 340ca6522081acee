#include "zoo/registry.h"

#include <algorithm>

#include "base/error.h"
#include "base/suggestion.h"
#include "zoo/builder.h"
#include "zoo/training.h"

namespace hone {
namespace zoo {
namespace {

const ZooModel& model_named(std::string_view name) {
  const std::vector<const ZooModel*> models = zoo_models();
  const auto found =
      std::ranges::find(models, name, [](const ZooModel* model) { return std::string_view(model->name); });
  if (found != models.end()) return **found;
  std::vector<std::string_view> names;
  for (const ZooModel* model : models) names.push_back(model->name);
  fail_usage("the zoo has no model '{:.60}'{} (`hone zoo list` shows all)", name, suggestion_or_all(name, names));
}

BuildOptions options_from(const Settings& settings) {
  const std::string& weights = settings.word("weights");
  return {
      .weights = weights == "seeded" ? WeightStorage::seeded
                 : weights == "zero" ? WeightStorage::zero
                                     : WeightStorage::splat,
      .element = *element_type_named(settings.word("dtype")),
      .seed = static_cast<std::uint64_t>(settings.integer("seed")),
      .purpose = settings.word("training") == "true" ? Purpose::training : Purpose::inference,
  };
}

TrainingStep step_from(const Settings& settings) {
  return {
      .optimizer = settings.word("optimizer") == "adam" ? Optimizer::adam : Optimizer::sgd,
      .learning_rate = settings.number("learning_rate"),
  };
}

}  // namespace

std::span<const Parameter> shared_parameters() {
  static const std::vector<Parameter> shared{
      {"dtype", "float", "element type of weights and activations", {"float", "double", "float16", "bfloat16"}},
      {"weights",
       "seeded",
       "seeded: random initialisers; zero: initialisers that take no memory until read; splat: one ConstantOfShape a "
       "weight, which keeps files small",
       {"seeded", "zero", "splat"}},
      {"seed", std::int64_t{1}, "seed of the weights", {}, 0, INT64_MAX},
      {"training", "false", "add loss, backward pass and optimiser step", {"false", "true"}},
      {"optimizer", "sgd", "of a training graph", {"sgd", "adam"}},
      {"learning_rate", 0.001, "of a training graph"},
  };
  return shared;
}

std::vector<const ZooModel*> zoo_models() {
  std::vector<const ZooModel*> models = ZooFamily::all_entries();
  std::ranges::sort(models, {}, &ZooModel::name);
  return models;
}

}  // namespace zoo

Model build_zoo(std::string_view spec) {
  using namespace zoo;
  if (is_zoo_spec(spec)) spec.remove_prefix(4);
  const std::size_t colon = std::min(spec.find(':'), spec.size());
  const ZooModel& entry = model_named(spec.substr(0, colon));
  std::vector<Parameter> parameters = entry.parameters;
  parameters.insert(parameters.end(), shared_parameters().begin(), shared_parameters().end());
  Settings settings(std::move(parameters));
  settings.parse(spec.substr(std::min(colon + 1, spec.size())));

  Model model;
  model.source = fmt::format("zoo:{}", spec);
  model.graph.name = entry.name;
  model.opsets.imports = {{"", Emitter::kOpset}};
  model.ir_version = 8;
  model.producer_name = "hone";
  Builder builder(model.graph, options_from(settings));
  entry.build(builder, settings);
  if (builder.purpose() == Purpose::training) add_training_step(builder, step_from(settings));
  return model;
}

}  // namespace hone

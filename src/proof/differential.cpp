#include "proof/differential.h"

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/hash.h"
#include "ir/print.h"
#include "ir/verify.h"
#include "ops/infer.h"
#include "proof/instance.h"
#include "proof/same_results.h"
#include "rules/replacement.h"

namespace hone {
namespace {

constexpr std::int64_t kOpsets[] = {17, 13, 11, 18, 21, 9, 23, 24};
constexpr std::size_t kMostElements = 20'000;  // of one tensor; larger graphs take too long to run

std::vector<const Rule*> all_rules() {
  std::vector<const Rule*> rules;
  for (const Rule& rule : builtin_rules()) rules.push_back(&rule);
  return rules;
}

bool is_small(const Graph& graph) {
  for (std::size_t i = 0; i < graph.value_count(); ++i) {
    const Type& type = graph.value(ValueId(i)).type;
    if (type.is_static_tensor() && element_count(type.shape).value() > static_cast<std::int64_t>(kMostElements))
      return false;
  }
  return true;
}

/// Several left sides, the later ones reading what the earlier ones make. Some inner values are outputs of the graph,
/// so that others read them.
std::optional<Model> random_graph(const InstanceSetting& setting, Choices& choices,
                                  std::span<const Rule* const> rules) {
  Model model;
  model.ir_version = 8;
  model.opsets.imports = {{"", setting.opset}, {"com.microsoft", 1}};
  model.source = "random";
  const std::size_t count = 1 + choices.pick(5);
  for (std::size_t planted = 0, tries = 0; planted < count && tries < 40; ++tries) {
    Model larger = model;
    if (!plant_instance(larger, *rules[choices.pick(rules.size())], setting, choices) || !is_small(larger.graph))
      continue;
    model = std::move(larger);
    ++planted;
  }
  if (model.graph.node_count() == 0) return std::nullopt;
  for (const NodeId id : model.graph.nodes())
    if (choices.pick(8) == 0)
      for (const ValueId output : model.graph.node(id).outputs)
        if (!model.graph.is_output(output)) model.graph.add_output(output);
  return model;
}

/// The model with a symbol in place of one size of its inputs; as it is where that does not fit what the model
/// computes.
Model with_symbol(const Model& model, Choices& choices) {
  if (model.graph.inputs().empty()) return model;
  Model open = model;
  Graph& graph = open.graph;
  const Shape& shape = graph.value(graph.inputs()[choices.pick(graph.inputs().size())]).type.shape;
  if (shape.empty()) return model;
  const Dim chosen = shape[choices.pick(shape.size())];
  for (const ValueId id : std::vector<ValueId>(graph.inputs().begin(), graph.inputs().end())) {
    Type type = graph.value(id).type;
    for (Dim& dim : type.shape)
      if (dim == chosen) dim = Dim::symbol("n");
    graph.set_type(id, type);
  }
  for (std::size_t i = 0; i < graph.value_count(); ++i)
    if (graph.value(ValueId(i)).producer.valid()) graph.set_type(ValueId(i), {});
  try {
    infer_types(open);
  } catch (const InputError&) {
    return model;
  }
  return open;
}

class RewriteFuzz {
 public:
  explicit RewriteFuzz(const FuzzOptions& options) : options_(options), rules_(all_rules()) {}

  FuzzReport run() {
    for (std::size_t i = 0; report_.graphs < options_.graphs && i < 4 * options_.graphs; ++i) {
      Choices choices = Choices::random(mix(options_.seed, i));
      const InstanceSetting setting{
          .opset = kOpsets[choices.pick(std::size(kOpsets))],
          .element = choices.pick(5) == 0 ? ElementType::int32 : ElementType::float64,
          .numbers = {.kind = choices.pick(2) == 0 ? DrawnNumbers::Kind::positive : DrawnNumbers::Kind::quarters},
          .scope = {}};
      const std::optional<Model> model = random_graph(setting, choices, rules_);
      if (!model) continue;
      ++report_.graphs;
      inputs_ = drawn_inputs(*model, choices, setting.numbers);
      try_graph(choices.pick(3) == 0 ? with_symbol(*model, choices) : *model, choices);
    }
    report_.rules = used_.size();
    return report_;
  }

 private:
  void try_graph(const Model& before, Choices& choices) {
    const Matcher matcher(rules_, RuleSetting::of(before, {"com.microsoft"}));
    Model after = before;
    std::string path;
    const std::size_t wanted = 1 + choices.pick(options_.most_rewrites);
    for (std::size_t i = 0; i < wanted; ++i) {
      const std::optional<Replacement> change = random_rewrite(after.graph, matcher, choices);
      if (!change || !is_small(after.graph)) break;
      apply(after.graph, *change);
      path += change->rule->name + " ";
      used_.insert(change->rule);
      ++report_.rewrites;
    }
    name_new_values(after.graph, before.graph.value_count());
    std::optional<std::string> fault = verify(after);
    if (!fault) fault = first_difference(before, after, inputs_);
    if (!fault) return;
    ++report_.differences;
    if (report_.first.empty())
      report_.first = fmt::format("{}: {}\n{}\nbecame\n{}", path, *fault, print(before), print(after));
  }

  static std::optional<Replacement> random_rewrite(const Graph& graph, const Matcher& matcher, Choices& choices) {
    std::vector<Match> matches = matcher.matches(graph);
    while (!matches.empty()) {
      const std::size_t at = choices.pick(matches.size());
      if (std::optional<Replacement> change = replacement(matches[at], matcher.setting())) return change;
      matches.erase(matches.begin() + static_cast<std::ptrdiff_t>(at));
    }
    return std::nullopt;
  }

  FuzzOptions options_;
  std::vector<const Rule*> rules_;
  std::set<const Rule*> used_;
  std::vector<Datum> inputs_;
  FuzzReport report_;
};

}  // namespace

FuzzReport fuzz_rewrites(const FuzzOptions& options) { return RewriteFuzz(options).run(); }

}  // namespace hone

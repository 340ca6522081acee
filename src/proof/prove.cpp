#include "proof/prove.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_set>

#include "base/error.h"
#include "base/hash.h"
#include "ir/print.h"
#include "ir/structural_hash.h"
#include "ir/verify.h"
#include "ops/infer.h"
#include "proof/instance.h"
#include "proof/same_results.h"
#include "rules/replacement.h"

namespace hone {
namespace {

constexpr std::int64_t kOpsets[] = {17, 13, 11, 18, 21, 9, 23, 24};
constexpr ElementType kElements[] = {ElementType::float64, ElementType::float64, ElementType::float32,
                                     ElementType::int64,   ElementType::float64, ElementType::int32,
                                     ElementType::float16};

class Prover {
 public:
  Prover(const Rule& rule, const ProofOptions& options)
      : rule_(rule),
        options_(options),
        rules_{&rule},
        choices_(Choices::random(mix(options.seed, hash_text(rule.name)))) {}

  Proof run() {
    for (std::size_t attempt = 0; attempt < options_.attempts && proof_.instances < options_.instances; ++attempt) {
      if (!try_instance()) return proof_;
      choices_.advance();
    }
    proof_.shapes = shapes_.size();
    proof_.attributes = attributes_.size();
    proof_.types = types_.size();
    proof_.opsets = opsets_.size();
    constexpr std::size_t kFewest = 8;
    proof_.proved = proof_.instances >= std::min(options_.instances, kFewest);
    if (!proof_.proved) proof_.reason = fmt::format("only {} instances could be made", proof_.instances);
    return proof_;
  }

 private:
  /// False when the rule is wrong.
  bool try_instance() {
    const InstanceSetting setting{.opset = kOpsets[choices_.pick(std::size(kOpsets))],
                                  .element = kElements[choices_.pick(std::size(kElements))],
                                  .sign = choices_.pick(2) == 0 ? Sign::positive : Sign::any};
    const std::optional<Model> model = make_instance(rule_, setting, choices_);
    if (!model || !seen_.insert(structural_hash(model->graph)).second) return true;
    const Matcher matcher(rules_, RuleSetting::of(*model, {"com.microsoft"}));
    bool right = true, applied = false;
    matcher.visit(model->graph, [&](const Match& match) {
      const std::optional<Replacement> change = replacement(match, matcher.setting());
      if (!change) {
        ++proof_.refused;
        return true;
      }
      applied = true;
      right = agrees(*model, *change, setting);
      return right;
    });
    if (right && applied) count(*model, setting);
    return right;
  }

  bool agrees(const Model& before, const Replacement& change, const InstanceSetting& setting) {
    Model after = before;
    apply(after.graph, change);
    name_new_values(after.graph, before.graph.value_count());
    if (const auto fault = verify(after)) return wrong(before, after, *fault);
    const std::vector<Datum> inputs = small_inputs(before, choices_, setting.sign);
    const std::optional<std::string> difference = first_difference(before, after, inputs);
    return !difference || wrong(before, after, *difference);
  }

  bool wrong(const Model& before, const Model& after, const std::string& reason) {
    proof_.proved = false;
    proof_.reason = fmt::format("{}\n{}\nbecame\n{}", reason, print(before), print(after));
    return false;
  }

  void count(const Model& model, const InstanceSetting& setting) {
    ++proof_.instances;
    types_.insert(setting.element);
    opsets_.insert(setting.opset);
    std::uint64_t shapes = 0, attributes = 0;
    for (std::size_t i = 0; i < model.graph.value_count(); ++i)
      if (!model.graph.value(ValueId(i)).producer.valid())
        shapes = hash_text(text_of(model.graph.value(ValueId(i)).type.shape), shapes);
    for (const NodeId id : model.graph.nodes())
      for (const Attribute& attribute : *model.graph.node(id).attributes)
        attributes = hash_of(term_of(attribute.value), hash_text(attribute.name, attributes));
    shapes_.insert(shapes);
    attributes_.insert(attributes);
  }

  const Rule& rule_;
  const ProofOptions& options_;
  std::vector<const Rule*> rules_;
  Choices choices_;
  Proof proof_;
  std::unordered_set<std::uint64_t> seen_, shapes_, attributes_;
  std::set<ElementType> types_;
  std::set<std::int64_t> opsets_;
};

}  // namespace

Proof prove(const Rule& rule, const ProofOptions& options) { return Prover(rule, options).run(); }

}  // namespace hone

#include "rewrite/proof/fuzz_graph.h"

#include <gtest/gtest.h>

#include <map>

#include "base/hash.h"

namespace hone {
namespace {

/// Counts what graphs have that rules must heed.
class Features {
 public:
  void add(const Graph& graph) {
    count("several graph outputs", graph.outputs().size() > 1);
    for (const ValueId id : graph.inputs()) count("symbols", !is_static(graph.value(id).type.shape));
    for (const ValueId id : graph.initializers()) count("shared constants", graph.users(id).size() > 1);
    for (const NodeId id : graph.nodes()) add(graph, graph.node(id));
  }

  const std::map<std::string, std::size_t>& counts() const { return counts_; }

 private:
  void count(const std::string& feature, bool met) { counts_[feature] += met ? 1 : 0; }

  void add(const Graph& graph, const Node& node) {
    count("several outputs of a node", node.outputs.size() > 1);
    if (const auto* dilations = value<std::vector<std::int64_t>>(node, "dilations"))
      count("dilation", std::ranges::any_of(*dilations, [](std::int64_t each) { return each > 1; }));
    if (const auto* pads = value<std::vector<std::int64_t>>(node, "pads"))
      count("asymmetric pads", !std::equal(pads->begin(), pads->begin() + static_cast<std::ptrdiff_t>(pads->size() / 2),
                                           pads->begin() + static_cast<std::ptrdiff_t>(pads->size() / 2)));
    if (const auto* group = value<std::int64_t>(node, "group")) count("groups", *group > 1);
    for (const char* factor : {"alpha", "beta"})
      if (const auto* number = value<float>(node, factor); number != nullptr && node.op->is("Gemm"))
        count(factor, *number != 1);
    if (node.op->is("Add") || node.op->is("Mul"))
      count("broadcasting", graph.value(node.inputs[0]).type.shape != graph.value(node.inputs[1]).type.shape);
  }

  template <class T>
  static const T* value(const Node& node, const char* name) {
    const Attribute* attribute = node.attribute(name);
    return attribute != nullptr ? std::get_if<T>(&attribute->value) : nullptr;
  }

  std::map<std::string, std::size_t> counts_;
};

TEST(FuzzGraphTest, GraphsHaveAllThatRulesMustHeed) {
  const std::vector<const Rule*> rules = select_rules("all");
  Features features;
  std::size_t special = 0;
  for (std::size_t i = 0; i < 2 * rules.size(); ++i) {
    Choices choices = Choices::random(mix(9, i));
    const std::optional<FuzzGraph> graph = random_fuzz_graph(rules, *rules[i % rules.size()], choices);
    if (!graph) continue;
    features.add(graph->model.graph);
    special += graph->finite ? 0 : 1;
  }
  EXPECT_EQ(features.counts().size(), 10u);
  for (const auto& [feature, count] : features.counts()) EXPECT_GT(count, 4u) << feature;
  EXPECT_GT(special, 10u);
}

}  // namespace
}  // namespace hone

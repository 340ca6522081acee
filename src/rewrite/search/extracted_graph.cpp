#include "rewrite/search/extracted_graph.h"

#include <algorithm>
#include <limits>

#include "base/error.h"

namespace hone {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

}  // namespace

EGraphExtraction::EGraphExtraction(const EGraph& egraph, const CycleFilter& filter, const NodeSeconds& seconds)
    : egraph_(egraph), leaders_(filter.order()), numbers_(egraph.graph().value_count(), kNone) {
  const Graph& graph = egraph.graph();
  for (std::size_t i = 0; i < leaders_.size(); ++i) numbers_[leaders_[i].index()] = static_cast<std::uint32_t>(i);
  problem_.makers.resize(leaders_.size());
  sources_.resize(leaders_.size());
  std::vector<std::uint32_t> choice_of(graph.node_slots(), kNone);
  for (std::uint32_t number = 0; number < leaders_.size(); ++number) {
    for (const ValueId maker : filter.makers(leaders_[number])) {
      const NodeId id = graph.value(maker).producer;
      if (!id.valid()) {
        sources_[number] = maker;
        break;
      }
      std::uint32_t& choice = choice_of[id.index()];
      if (choice == kNone) {
        choice = static_cast<std::uint32_t>(nodes_.size());
        nodes_.push_back(id);
        problem_.choices.push_back({.seconds = seconds(graph, id), .needs = {}, .makes = {}});
        std::vector<std::uint32_t>& needs = problem_.choices.back().needs;
        for (const ValueId input : graph.node(id).inputs)
          if (input.valid()) needs.push_back(number_of(input));
        std::ranges::sort(needs);
        needs.erase(std::unique(needs.begin(), needs.end()), needs.end());
      }
      problem_.choices[choice].makes.push_back(number);
      problem_.makers[number].push_back(choice);
    }
  }
  for (const ValueId output : graph.outputs()) problem_.roots.push_back(number_of(output));
}

Selection EGraphExtraction::oldest() const {
  Selection selection(leaders_.size(), kNone);
  for (std::uint32_t number = 0; number < leaders_.size(); ++number) {
    if (problem_.makers[number].empty()) continue;
    const NodeId producer = egraph_.graph().value(egraph_.oldest(leaders_[number])).producer;
    const auto choice =
        std::ranges::find_if(problem_.makers[number], [&](std::uint32_t each) { return nodes_[each] == producer; });
    HONE_CHECK(choice != problem_.makers[number].end(), "the oldest maker of a class is barred");
    selection[number] = *choice;
  }
  return selection;
}

/// Turns the original into the graph of a selection.
class EGraphExtraction::Builder {
 public:
  Builder(const EGraphExtraction& extraction, const Graph& original, const Selection& selection)
      : extraction_(extraction),
        from_(extraction.egraph_.graph()),
        original_(original),
        selection_(selection),
        graph_(original),
        values_(extraction.leaders_.size()) {}

  Graph run() {
    const std::vector<std::uint32_t> chosen = needed_choices(extraction_.problem_, selection_);
    keep_only(chosen);
    for (const std::uint32_t choice : chosen) place(choice);
    for (const ValueId output : original_.outputs()) {
      const ValueId value = value_of(extraction_.number_of(output));
      if (value == output || !original_.value(output).producer.valid()) continue;
      graph_.add_node(OpName::intern("", "Identity"), std::span(&value, 1), std::span(&output, 1));
    }
    return std::move(graph_);
  }

 private:
  bool is_original(NodeId id) const { return id.index() < original_.node_slots(); }

  /// Removes original nodes that are not chosen, and takes the outputs from those that are.
  void keep_only(const std::vector<std::uint32_t>& chosen) {
    std::vector<bool> is_kept(original_.node_slots(), false);
    for (const std::uint32_t choice : chosen)
      if (is_original(extraction_.nodes_[choice])) is_kept[extraction_.nodes_[choice].index()] = true;
    for (const NodeId id : original_.nodes()) {
      for (std::size_t slot = 0; slot < original_.node(id).outputs.size(); ++slot) graph_.detach_output(id, slot);
      if (!is_kept[id.index()]) graph_.remove_node(id);
    }
  }

  /// The value that holds a class: its source, else one of the original's, an output before others, else a new one.
  ValueId value_of(std::uint32_t number) {
    ValueId& value = values_[number];
    if (value.valid()) return value;
    const ValueId leader = extraction_.leaders_[number];
    const ValueId source = extraction_.sources_[number];
    if (source.valid()) return value = source.index() < original_.value_count() ? source : new_constant(source);
    for (const ValueId id : extraction_.egraph_.members(leader)) {
      if (id.index() >= original_.value_count()) continue;
      const bool better = !value.valid() || (original_.is_output(id) && !original_.is_output(value));
      if (better) value = id;
    }
    if (!value.valid()) value = graph_.add_value({}, from_.value(leader).type);
    return value;
  }

  ValueId new_constant(ValueId source) {
    const ValueId value = graph_.add_value({}, from_.value(source).type);
    graph_.set_constant(value, *from_.value(source).constant);
    return value;
  }

  void place(std::uint32_t choice) {
    const NodeId id = extraction_.nodes_[choice];
    const Node& node = from_.node(id);
    std::vector<ValueId> inputs, outputs;
    for (const ValueId input : node.inputs)
      inputs.push_back(input.valid() ? value_of(extraction_.number_of(input)) : ValueId());
    for (const ValueId output : node.outputs) {
      ValueId held = output.valid() ? held_output(choice, output) : ValueId();
      const bool is_new = held.valid() && std::ranges::find(outputs, held) == outputs.end();
      if (output.valid() && !is_new) held = graph_.add_value({}, from_.value(output).type);
      outputs.push_back(held);
    }
    if (!is_original(id)) {
      graph_.add_node(node.op, inputs, outputs, *node.attributes);
      return;
    }
    for (std::size_t slot = 0; slot < inputs.size(); ++slot)
      if (graph_.node(id).inputs[slot] != inputs[slot]) graph_.set_input(id, slot, inputs[slot]);
    for (std::size_t slot = 0; slot < outputs.size(); ++slot)
      if (outputs[slot].valid()) graph_.attach_output(id, slot, outputs[slot]);
  }

  /// The value that holds the class of an output; none where another choice makes the class, so that nobody reads this.
  ValueId held_output(std::uint32_t choice, ValueId output) {
    const std::uint32_t number = extraction_.number_of(output);
    const bool makes = !extraction_.problem_.makers[number].empty() && selection_[number] == choice;
    return makes ? value_of(number) : ValueId();
  }

  const EGraphExtraction& extraction_;
  const Graph& from_;
  const Graph& original_;
  const Selection& selection_;
  Graph graph_;
  std::vector<ValueId> values_;  // by class
};

Graph EGraphExtraction::build(const Graph& original, const Selection& selection) const {
  return Builder(*this, original, selection).run();
}

}  // namespace hone

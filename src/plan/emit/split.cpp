#include "plan/emit/split.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "base/distinct.h"
#include "base/error.h"
#include "graph/ir/verify.h"

namespace hone {
namespace {

constexpr std::size_t kNoPiece = SIZE_MAX;

/// Which piece makes each value, and who else needs it. Inputs, weights and constants are sources: no piece makes them,
/// each has its own.
class Cut {
 public:
  /// Nodes of each piece in the order in which they start, by stage and device.
  using Nodes = std::map<std::pair<std::uint32_t, DeviceId>, std::vector<NodeId>>;

  Cut(const Graph& graph, const Placement& placement)
      : graph_(graph),
        piece_of_(graph.value_count(), kNoPiece),
        leaves_(marked(graph.outputs())),
        is_input_(marked(graph.inputs())),
        is_described_(marked(graph.described())) {
    find_nodes(placement);
    for_each_node([this](std::size_t piece, const Node& node) {
      for (const ValueId output : node.outputs)
        if (output.valid()) piece_of_[output.index()] = piece;
    });
    for_each_node([this](std::size_t piece, const Node& node) {
      for (const ValueId input : node.inputs)
        if (input.valid() && piece_of(input) != piece) leaves_[input.index()] = true;
    });
  }

  const Nodes& nodes() const { return nodes_; }
  std::size_t piece_of(ValueId id) const { return piece_of_[id.index()]; }
  bool is_source(ValueId id) const { return piece_of(id) == kNoPiece; }
  /// True for what another piece or the caller of the whole model reads.
  bool leaves(ValueId id) const { return leaves_[id.index()]; }
  bool is_input(ValueId id) const { return is_input_[id.index()]; }
  bool is_described(ValueId id) const { return is_described_[id.index()]; }

 private:
  std::vector<bool> marked(std::span<const ValueId> ids) const {
    std::vector<bool> marks(graph_.value_count());
    for (const ValueId id : ids) marks[id.index()] = true;
    return marks;
  }

  /// Takes what outputs need, backwards, so that readers are seen before what they read.
  void find_nodes(const Placement& placement) {
    std::vector<bool> needed = marked(graph_.outputs());
    for (auto it = placement.order.rbegin(); it != placement.order.rend(); ++it) {
      const Node& node = graph_.node(*it);
      const auto is_needed = [&](ValueId output) { return output.valid() && needed[output.index()]; };
      if (std::ranges::none_of(node.outputs, is_needed)) continue;
      for (const ValueId input : node.inputs)
        if (input.valid()) needed[input.index()] = true;
      const Placement::Place& place = placement.place_of[it->index()];
      nodes_[{place.stage, place.device}].push_back(*it);
    }
    for (auto& [place, nodes] : nodes_) std::ranges::reverse(nodes);
  }

  template <class Visit>
  void for_each_node(Visit visit) const {
    std::size_t piece = 0;
    for (const auto& [place, nodes] : nodes_) {
      for (const NodeId id : nodes) visit(piece, graph_.node(id));
      ++piece;
    }
  }

  const Graph& graph_;
  Nodes nodes_;
  std::vector<std::size_t> piece_of_;                   // by value
  std::vector<bool> leaves_, is_input_, is_described_;  // by value
};

/// Builds the graph of one piece, in time that depends on the piece and not on the whole.
class PieceBuilder {
 public:
  PieceBuilder(const Model& model, const Cut& cut, std::size_t piece)
      : source_(model.source), whole_(model.graph), cut_(cut), piece_(piece) {}

  Graph build(std::span<const NodeId> nodes) && {
    graph_.name = whole_.name;
    add_sources(sources_of(nodes));
    for (const NodeId id : nodes) add_imports(whole_.node(id));
    for (const NodeId id : nodes) add_node(id);
    add_outputs(nodes);
    return std::move(graph_);
  }

 private:
  bool is_mapped(ValueId id) const { return id_of_.contains(id); }
  ValueId mapped(ValueId id) const { return id.valid() ? id_of_.at(id) : ValueId(); }

  /// Makes a new value stand for one of the whole, notes included.
  ValueId adopt(ValueId id, ValueId made) {
    graph_.set_value_notes(made, whole_.value(id).notes);
    return id_of_[id] = made;
  }

  /// What the caller gets though nothing computes it; that comes from the first piece.
  std::vector<ValueId> passed_through() const {
    std::vector<ValueId> ids;
    if (piece_ > 0) return ids;
    for (const ValueId output : whole_.outputs())
      if (cut_.is_source(output)) ids.push_back(output);
    return ids;
  }

  std::vector<ValueId> sources_of(std::span<const NodeId> nodes) const {
    std::vector<ValueId> sources = passed_through();
    for (const NodeId id : nodes)
      for (const ValueId input : whole_.node(id).inputs)
        if (input.valid() && cut_.is_source(input)) sources.push_back(input);
    return distinct(std::move(sources));
  }

  /// Inputs of the model, weights and constants, in the order of the whole.
  void add_sources(std::span<const ValueId> sources) {
    for (const ValueId id : sources) {
      const Value& value = whole_.value(id);
      if (is_mapped(id)) continue;  // came with another
      if (value.constant) adopt(id, graph_.add_constant(value.name, *value.constant));
      if (value.constant && cut_.is_input(id)) graph_.declare_input(mapped(id));
      if (value.constant) continue;
      if (cut_.is_input(id)) adopt(id, graph_.add_input(value.name, value.type));
      else if (value.producer.valid()) add_node(value.producer);
      else add_encoded_sources();
    }
  }

  /// Their contents lie in the graph's residue, so that a piece has all of them or none.
  void add_encoded_sources() {
    graph_.notes = whole_.notes;
    for (const ValueId id : whole_.encoded_sources())
      adopt(id, graph_.add_encoded_source(whole_.value(id).name, whole_.value(id).type));
  }

  void add_imports(const Node& node) {
    for (const ValueId id : node.inputs) {
      if (!id.valid() || is_mapped(id) || cut_.piece_of(id) == piece_) continue;
      const Value& value = whole_.value(id);
      if (value.type.kind == Type::Kind::unknown)
        fail("{}: tensor '{}' passes between devices, but its type is not known", source_, value.name);
      // Without notes: the type that was inferred says more than what the file may have declared.
      id_of_[id] = graph_.add_input(value.name, value.type);
    }
  }

  void add_node(NodeId id) {
    const Node& node = whole_.node(id);
    std::vector<ValueId> inputs, captured, outputs;
    for (const ValueId input : node.written_inputs()) inputs.push_back(mapped(input));
    for (const ValueId input : node.captured_inputs()) captured.push_back(mapped(input));
    for (const ValueId output : node.outputs) outputs.push_back(output.valid() ? add_result(output) : ValueId());
    const NodeId made = graph_.add_node(node.op, inputs, outputs, *node.attributes, node.name);
    if (!captured.empty()) graph_.set_captured_inputs(made, captured);
    graph_.set_node_notes(made, node.notes);
  }

  ValueId add_result(ValueId id) {
    const ValueId made = adopt(id, graph_.add_value(whole_.value(id).name, whole_.value(id).type));
    if (cut_.is_described(id)) graph_.describe(made);
    return made;
  }

  void add_outputs(std::span<const NodeId> nodes) {
    for (const NodeId id : nodes)
      for (const ValueId output : whole_.node(id).outputs)
        if (output.valid() && cut_.leaves(output)) graph_.add_output(mapped(output));
    for (const ValueId output : distinct(passed_through())) graph_.add_output(mapped(output));
  }

  const std::string& source_;
  const Graph& whole_;
  const Cut& cut_;
  std::size_t piece_;
  std::unordered_map<ValueId, ValueId> id_of_;  // by value of the whole
  Graph graph_;
};

/// Everything of a model but its graph.
Model frame(const Model& model) {
  Model copy = model;
  copy.graph = Graph();
  return copy;
}

}  // namespace

std::vector<Piece> split(const Model& model, const Placement& placement) {
  if (const std::optional<std::string> flaw = verify(model)) fail("{}: {}", model.source, *flaw);
  const Cut cut(model.graph, placement);
  std::vector<Piece> pieces;
  for (const auto& [place, nodes] : cut.nodes()) {
    Piece piece{.model = frame(model), .device = place.second, .stage = place.first};
    piece.model.graph = PieceBuilder(model, cut, pieces.size()).build(nodes);
    pieces.push_back(std::move(piece));
  }
  if (pieces.empty()) {  // nothing is computed, but the caller still wants the outputs
    pieces.push_back({.model = frame(model), .device = DeviceId(0)});
    pieces.back().model.graph = PieceBuilder(model, cut, 0).build({});
  }
  const std::optional<std::string> flaw = check_pieces(model, pieces);
  HONE_CHECK(!flaw, "{}", *flaw);
  return pieces;
}

}  // namespace hone

#include "emit/split.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "ir/verify.h"

namespace hone {
namespace {

constexpr std::size_t kNoPiece = SIZE_MAX;

/// Which piece makes each value, and who else needs it. Inputs, weights and constants are no piece's: each has its own.
class Cut {
 public:
  Cut(const Graph& graph, const Placement& placement)
      : graph_(graph), piece_of_(graph.value_count(), kNoPiece), leaves_(graph.value_count()) {
    std::vector<bool> needed(graph.value_count());
    for (const ValueId output : graph.outputs()) leaves_[output.index()] = needed[output.index()] = true;
    // Backwards, so that readers are seen before what they read.
    for (auto it = placement.order.rbegin(); it != placement.order.rend(); ++it) {
      const Node& node = graph.node(*it);
      const auto is_needed = [&](ValueId output) { return output.valid() && needed[output.index()]; };
      if (std::ranges::none_of(node.outputs, is_needed)) continue;
      for (const ValueId input : node.inputs)
        if (input.valid()) needed[input.index()] = true;
      const Placement::Place& place = placement.place_of[it->index()];
      nodes_[{place.stage, place.device}].push_back(*it);
    }
    std::size_t piece = 0;
    for (auto& [place, nodes] : nodes_) {
      std::ranges::reverse(nodes);
      for (const NodeId id : nodes)
        for (const ValueId output : graph.node(id).outputs)
          if (output.valid()) piece_of_[output.index()] = piece;
      ++piece;
    }
    find_leaving();
  }

  /// Nodes of each piece in the order in which they start, by stage and device.
  const std::map<std::pair<std::uint32_t, DeviceId>, std::vector<NodeId>>& nodes() const { return nodes_; }
  /// The piece that makes a value.
  std::size_t piece_of(ValueId id) const { return piece_of_[id.index()]; }
  /// True for what another piece or the caller of the whole model reads.
  bool leaves(ValueId id) const { return leaves_[id.index()]; }

 private:
  void find_leaving() {
    std::size_t piece = 0;
    for (const auto& [place, nodes] : nodes_) {
      for (const NodeId id : nodes)
        for (const ValueId input : graph_.node(id).inputs)
          if (input.valid() && piece_of(input) != piece) leaves_[input.index()] = true;
      ++piece;
    }
  }

  const Graph& graph_;
  std::vector<std::size_t> piece_of_;  // by value
  std::vector<bool> leaves_;           // by value
  std::map<std::pair<std::uint32_t, DeviceId>, std::vector<NodeId>> nodes_;
};

/// Builds the graph of one piece.
class PieceBuilder {
 public:
  PieceBuilder(const Model& model, const Cut& cut, std::size_t piece)
      : source_(model.source), whole_(model.graph), cut_(cut), piece_(piece), id_of_(whole_.value_count()) {}

  Graph build(std::span<const NodeId> nodes) && {
    graph_.name = whole_.name;
    std::vector<bool> read(whole_.value_count());
    for (const NodeId id : nodes)
      for (const ValueId input : whole_.node(id).inputs)
        if (input.valid()) read[input.index()] = true;
    // What the caller gets though nothing computes it comes from the first piece.
    for (const ValueId output : whole_.outputs())
      if (piece_ == 0 && cut_.piece_of(output) == kNoPiece) read[output.index()] = true;
    add_sources(read);
    for (const NodeId id : nodes) add_imports(whole_.node(id));
    for (const NodeId id : nodes) add_node(id);
    add_outputs(nodes);
    for (const ValueId id : whole_.described())
      if (mapped(id).valid() && graph_.value(mapped(id)).producer.valid()) graph_.describe(mapped(id));
    return std::move(graph_);
  }

 private:
  ValueId mapped(ValueId id) const { return id.valid() ? id_of_[id.index()] : ValueId(); }

  /// Makes a new value stand for one of the whole, notes included.
  ValueId adopt(ValueId id, ValueId made) {
    graph_.set_value_notes(made, whole_.value(id).notes);
    return id_of_[id.index()] = made;
  }

  /// Weights, constants and the model's inputs, as far as the piece reads them, in the order of the whole.
  void add_sources(const std::vector<bool>& read) {
    for (const ValueId id : whole_.initializers()) {
      const Value& value = whole_.value(id);
      if (read[id.index()]) adopt(id, graph_.add_constant(value.name, *value.constant));
    }
    for (const ValueId id : whole_.inputs()) {
      const Value& value = whole_.value(id);
      if (!read[id.index()]) continue;
      if (value.constant) graph_.declare_input(mapped(id));
      else adopt(id, graph_.add_input(value.name, value.type));
    }
    add_encoded_sources(read);
    for (const NodeId id : whole_.nodes()) {
      const auto is_read = [&](ValueId output) {
        return output.valid() && cut_.piece_of(output) == kNoPiece && read[output.index()];
      };
      if (std::ranges::any_of(whole_.node(id).outputs, is_read)) add_node(id);
    }
  }

  /// Their contents lie in the graph's residue, so that a piece has all of them or none.
  void add_encoded_sources(const std::vector<bool>& read) {
    const auto is_read = [&](ValueId id) { return read[id.index()]; };
    if (std::ranges::none_of(whole_.encoded_sources(), is_read)) return;
    graph_.notes = whole_.notes;
    for (const ValueId id : whole_.encoded_sources())
      adopt(id, graph_.add_encoded_source(whole_.value(id).name, whole_.value(id).type));
  }

  void add_imports(const Node& node) {
    for (const ValueId id : node.inputs) {
      if (!id.valid() || mapped(id).valid() || cut_.piece_of(id) == piece_) continue;
      const Value& value = whole_.value(id);
      if (value.type.kind == Type::Kind::unknown)
        fail("{}: tensor '{}' passes between devices, but its type is not known", source_, value.name);
      // Without notes: the type that was inferred says more than what the file may have declared.
      id_of_[id.index()] = graph_.add_input(value.name, value.type);
    }
  }

  void add_node(NodeId id) {
    const Node& node = whole_.node(id);
    std::vector<ValueId> inputs, captured, outputs;
    for (const ValueId input : node.written_inputs()) inputs.push_back(mapped(input));
    for (const ValueId input : node.captured_inputs()) captured.push_back(mapped(input));
    for (const ValueId output : node.outputs) {
      outputs.emplace_back();
      if (!output.valid()) continue;
      outputs.back() = adopt(output, graph_.add_value(whole_.value(output).name, whole_.value(output).type));
    }
    const NodeId made = graph_.add_node(node.op, inputs, outputs, *node.attributes, node.name);
    if (!captured.empty()) graph_.set_captured_inputs(made, captured);
    graph_.set_node_notes(made, node.notes);
  }

  void add_outputs(std::span<const NodeId> nodes) {
    std::vector<bool> listed(whole_.value_count());
    const auto list = [&](ValueId id) {
      if (listed[id.index()]) return;
      listed[id.index()] = true;
      graph_.add_output(mapped(id));
    };
    for (const NodeId id : nodes)
      for (const ValueId output : whole_.node(id).outputs)
        if (output.valid() && cut_.leaves(output)) list(output);
    for (const ValueId output : whole_.outputs())
      if (piece_ == 0 && cut_.piece_of(output) == kNoPiece) list(output);
  }

  const std::string& source_;
  const Graph& whole_;
  const Cut& cut_;
  std::size_t piece_;
  std::vector<ValueId> id_of_;  // by value of the whole
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

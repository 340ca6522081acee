#include <fmt/format.h>

#include <map>
#include <set>
#include <string>

#include "graph/ir/verify.h"
#include "plan/emit/split.h"

namespace hone {
namespace {

using Flaw = std::optional<std::string>;

std::vector<std::string> names_of(const Graph& graph, std::span<const ValueId> ids) {
  std::vector<std::string> list;
  for (const ValueId id : ids) list.push_back(id.valid() ? graph.value(id).name : "");
  return list;
}

/// True when both apply the same operator to values of the same names.
bool same_by_name(const Graph& a, const Node& x, const Graph& b, const Node& y) {
  if (x.op != y.op || names_of(a, x.inputs) != names_of(b, y.inputs) ||
      names_of(a, x.outputs) != names_of(b, y.outputs))
    return false;
  if (x.attributes->size() != y.attributes->size()) return false;
  for (std::size_t i = 0; i < x.attributes->size(); ++i)
    if (!same_meaning((*x.attributes)[i], (*y.attributes)[i])) return false;
  return true;
}

class Check {
 public:
  explicit Check(const Model& model) : whole_(model.graph) {
    for (std::size_t i = 0; i < whole_.value_count(); ++i) whole_value_[whole_.value(ValueId(i)).name] = ValueId(i);
    for (const ValueId id : whole_.inputs()) at_hand_.insert(whole_.value(id).name);
  }

  Flaw add(const Model& piece) {
    if (Flaw flaw = verify(piece)) return flaw;
    const Graph& graph = piece.graph;
    for (const ValueId id : graph.inputs())
      if (const std::string& name = graph.value(id).name; !at_hand_.contains(name))
        return fmt::format("'{}' is read before any piece has made it", name);
    for (const ValueId id : graph.initializers())
      if (const Value* value = find(graph.value(id).name);
          value == nullptr || !value->constant ||
          value->constant->bytes().data() != graph.value(id).constant->bytes().data())
        return fmt::format("weight '{}' is not the model's", graph.value(id).name);
    for (const NodeId id : graph.nodes())
      if (!is_models_own(graph, graph.node(id)))
        return fmt::format("node '{}' ({}) is not the model's", graph.node(id).name, graph.node(id).op->text());
    for (const ValueId id : graph.outputs()) at_hand_.insert(graph.value(id).name);
    return std::nullopt;
  }

  Flaw finish() const {
    for (const ValueId id : whole_.outputs())
      if (!at_hand_.contains(whole_.value(id).name))
        return fmt::format("output '{}' is made by no piece", whole_.value(id).name);
    return std::nullopt;
  }

 private:
  const Value* find(const std::string& name) const {
    const auto found = whole_value_.find(name);
    return found == whole_value_.end() ? nullptr : &whole_.value(found->second);
  }

  bool is_models_own(const Graph& graph, const Node& node) const {
    for (const ValueId output : node.outputs) {
      if (!output.valid()) continue;
      const Value* value = find(graph.value(output).name);
      return value != nullptr && value->producer.valid() &&
             same_by_name(graph, node, whole_, whole_.node(value->producer));
    }
    return false;
  }

  const Graph& whole_;
  std::map<std::string, ValueId> whole_value_;
  std::set<std::string> at_hand_;  // names of what the caller gives or a piece has made
};

}  // namespace

Flaw check_pieces(const Model& model, const std::vector<Piece>& pieces) {
  Check check(model);
  for (std::size_t i = 0; i < pieces.size(); ++i)
    if (Flaw flaw = check.add(pieces[i].model)) return fmt::format("piece {}: {}", i, *flaw);
  return check.finish();
}

}  // namespace hone

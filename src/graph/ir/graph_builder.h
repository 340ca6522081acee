#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

#include "graph/ir/graph.h"
#include "graph/ir/lexer.h"

namespace hone {

/// A name where it was written.
struct Mention {
  std::string name;
  std::size_t offset = 0;
};

/// A value with what the text says about it.
struct Declaration {
  Mention mention;
  Type type;
  SharedNotes notes;
};

/// A node whose names are not resolved yet: what it reads may be defined further down.
struct WrittenNode {
  const OpName* op = nullptr;
  std::string name;
  std::vector<Mention> outputs, inputs;
  Attributes attributes;
  SharedNotes notes;
};

/// Names that bodies read from around them, with where each was read first.
using CapturePlaces = std::unordered_map<std::string, std::size_t>;

/// Where a name that a graph does not define leads.
enum class Surroundings { none, outer_graph };

/// Builds one graph of the text form. Inputs and constants are defined as they are met; nodes are linked at the end,
/// since they may stand in any order. In a body of control flow a name that nothing defines becomes a capture.
class GraphBuilder {
 public:
  GraphBuilder(const TokenStream& tokens, Surroundings surroundings, CapturePlaces& places)
      : tokens_(tokens), surroundings_(surroundings), places_(places) {}

  void add_input(Declaration input);
  /// A constant, or the default of an input met before.
  void add_constant(Declaration constant, Tensor tensor);
  /// Links the nodes, the graph's outputs and the values whose types are spelled out.
  Graph finish(std::vector<WrittenNode> nodes, std::vector<Declaration> outputs, std::vector<Declaration> described) &&;

 private:
  void claim(const Mention& mention) const;
  void define(const Mention& output);
  ValueId resolve(const Mention& mention);
  std::vector<ValueId> resolve_all(const std::vector<Mention>& mentions);
  void link(WrittenNode node);
  std::vector<Mention> captures_of(const WrittenNode& node) const;
  void describe(ValueId id, Declaration declaration);
  void note(ValueId id, SharedNotes notes);

  const TokenStream& tokens_;
  Surroundings surroundings_;
  CapturePlaces& places_;
  Graph graph_;
  std::unordered_map<std::string, ValueId> ids_;
};

}  // namespace hone

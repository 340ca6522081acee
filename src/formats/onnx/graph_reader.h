#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/wire.h"
#include "formats/onnx/external_data.h"
#include "graph/ir/graph.h"

namespace hone::onnx {

/// What all parts of one file share while it is read. The file's bytes outlive the reading, so names are views into
/// them.
struct Source {
  std::shared_ptr<const void> owner;
  ExternalFiles external;
};

/// The names visible in one graph, and how to find those of the graphs around it.
class Scope {
 public:
  Scope(Graph& graph, Scope* parent) : graph_(graph), parent_(parent) {}

  /// Makes a name known; throws InputError when it is taken.
  void define(std::string_view name, ValueId id, std::string_view what);
  std::optional<ValueId> local(std::string_view name) const;
  /// The value of that name here; one of an enclosing graph becomes a capture. Nullopt when nobody has it.
  std::optional<ValueId> resolve(std::string_view name);
  /// The enclosing graph's values behind this graph's captures, in order.
  const std::vector<ValueId>& captured() const { return captured_; }

 private:
  Graph& graph_;
  Scope* parent_;
  std::unordered_map<std::string_view, ValueId> names_;
  std::vector<ValueId> captured_;
};

/// Reads a GraphProto, or the graph-like part of a FunctionProto, into a Graph.
class GraphReader {
 public:
  /// Throws InputError when graphs are nested too deep for anybody to have meant it.
  GraphReader(Source& source, Graph& graph, Scope* parent, int depth);

  /// Returns the enclosing graph's values that the graph captures.
  std::vector<ValueId> read(Bytes message);

  void define_input(std::string_view name);
  void define_output(std::string_view name);
  void read_nodes(std::span<const Bytes> nodes);
  /// A ValueInfoProto; one for a value the graph does not have is appended to `residue` under `field`.
  void read_description(Bytes message, std::uint32_t field, std::string& residue);

 private:
  ValueId existing(std::string_view name, std::string_view what);
  void describe(ValueId id, Bytes message);
  void read_input(Bytes message);
  void read_output(Bytes message);
  void read_initializer(Bytes message);
  void read_sparse_initializer(Bytes message);
  std::vector<ValueId> declare_outputs(Bytes message);
  void read_node(Bytes message, std::span<const ValueId> outputs);
  std::vector<ValueId> resolve_inputs(std::span<const std::string_view> names, std::string_view node_name,
                                      std::string_view op);

  Source& source_;
  Graph& graph_;
  Scope scope_;
  int depth_;
};

}  // namespace hone::onnx

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/registered.h"
#include "graph/ir/model.h"
#include "graph/ops/evaluate.h"

namespace hone {

/// A node that is about to be written as others. Everything written is dropped again where the expansion says no.
class Expansion : public NodeReader {
 public:
  /// `node` is a copy, since what is written may move the nodes of the graph.
  Expansion(Model& model, NodeId id, const Node& node, const Definition& definition)
      : NodeReader(*definition.entry, node, definition.version), model_(model), id_(id) {}

  /// Version of the standard's operators that may be used.
  std::int64_t opset() const;
  ValueId input(std::size_t slot) const { return node().inputs[slot]; }
  Dims dims(std::size_t slot) const;
  ElementType element(std::size_t slot) const;
  /// Null where an input is not constant.
  const Tensor* constant(std::size_t slot) const;

  ValueId add(std::string_view op, std::vector<ValueId> inputs, Attributes attributes = {});
  ValueId add(const Tensor& tensor);
  /// One number of the type that an input has.
  ValueId like(std::size_t slot, double value);
  ValueId list_of(const std::vector<std::int64_t>& elements) { return add(Tensor::vector(elements)); }
  /// 0, 1, 2, ... along one axis, stretched along all others.
  ValueId indices(std::size_t rank, std::size_t axis, std::int64_t count);
  /// A reduction that keeps the axes it folds, with length 1.
  ValueId reduced(std::string_view op, ValueId x, const std::vector<std::int64_t>& axes);
  ValueId cast(ValueId x, ElementType to);
  ValueId reshaped(ValueId x, const Dims& dims);

  /// Makes a value what the node gave.
  void become(std::size_t output, ValueId value) { results_.emplace_back(output, value); }
  /// Puts the results in place of the node.
  void finish();

 private:
  Model& model_;
  NodeId id_;
  std::vector<std::pair<std::size_t, ValueId>> results_;
};

/// How one operator is written as others; false where it cannot be with these attributes or types.
struct ExpansionEntry {
  std::string_view name;
  bool (*expand)(Expansion& expansion) = nullptr;
  std::string_view domain = "";
};

/// A table of them; defined at namespace scope.
class ExpansionFamily : public RegisteredTable<ExpansionFamily, ExpansionEntry> {
 public:
  using RegisteredTable::RegisteredTable;
};

}  // namespace hone

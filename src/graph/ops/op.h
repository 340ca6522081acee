#pragma once

#include <climits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "graph/ir/graph.h"
#include "graph/ir/model.h"

namespace hone {

class InferContext;
class EvaluateContext;
class CostContext;

/// What an operator does to memory and arithmetic; decides how it may be fused and what bounds its speed.
enum class OpKind {
  pointwise,    // output element i depends on input elements i (after broadcasting)
  reduction,    // folds an axis: sums, softmax, norms, pooling, arg max
  contraction,  // multiplies and sums: matrix products, convolutions, recurrent cells
  movement,     // copies elements to other places: transpose, gather, concat, pad
  view,         // same bytes under another shape
  opaque,       // hone does not look inside: control flow, strings, sequences, unknown operators
};
std::string_view name_of(OpKind kind);

/// How many inputs or outputs an operator takes.
struct Arity {
  std::size_t min = 1;
  std::size_t max = 1;
};
inline constexpr std::size_t kMany = SIZE_MAX;

/// Which values an attribute holds.
enum class AttributeKind { integer, number, text, tensor, graph, integers, numbers, texts, other };

/// One attribute of an operator: its default, or none, and the opset versions that have it.
struct AttributeSpec {
  std::string_view name;
  AttributeKind kind = AttributeKind::other;
  std::optional<AttributeValue> fallback;  // value when the node does not say
  int first = 1;                           // first operator version with this attribute
  int last = INT_MAX;                      // last one

  AttributeSpec since(int version) const {
    AttributeSpec spec = *this;
    spec.first = version;
    return spec;
  }
  /// The attribute went away with `version` (usually it became an input).
  AttributeSpec until(int version) const {
    AttributeSpec spec = *this;
    spec.last = version - 1;
    return spec;
  }
};

// Short forms for the tables: with a default, or without one.
AttributeSpec integer(std::string_view name, std::optional<std::int64_t> fallback = {});
AttributeSpec number(std::string_view name, std::optional<float> fallback = {});
AttributeSpec text(std::string_view name, std::optional<std::string_view> fallback = {});
AttributeSpec integers(std::string_view name);
AttributeSpec numbers(std::string_view name);
AttributeSpec texts(std::string_view name);
AttributeSpec tensor(std::string_view name);
AttributeSpec graph(std::string_view name);
AttributeSpec other(std::string_view name);

/// How the elements of the outputs are polynomials in the elements of the inputs: what their degree is. Proofs of rules
/// count on it.
enum class Degree {
  unknown,   // no polynomial, or nobody has said
  copy,      // every element is one of an input, or a constant
  sum,       // the largest degree of the inputs
  mean,      // the same, with fractions
  product,   // degrees of all inputs together
  square,    // twice that of the input
  bilinear,  // of the first two together, or that of what is added
};

/// Output `output` may be the same memory as input `input`.
struct Alias {
  std::size_t output = 0;
  std::size_t input = 0;
};

/// Everything hone knows of one operator. The families in this folder are tables of these; adding an operator is adding
/// an entry to the table it belongs to.
struct OpEntry {
  std::string_view name;
  std::string_view domain = "";
  std::vector<int> versions;  // opset versions in which the definition changed, ascending
  Arity inputs;
  Arity outputs;
  std::vector<AttributeSpec> attributes = {};
  OpKind kind = OpKind::opaque;
  bool deterministic = true;  // same inputs, same outputs: may be folded and shared
  bool commutative = false;   // its two inputs may change places
  Degree degree = Degree::unknown;
  std::vector<Alias> aliases = {};

  /// Types of the outputs from types (and known contents) of the inputs. Must cope with unknown ranks and dims.
  void (*infer)(InferContext&) = nullptr;
  /// The operator's meaning: computes the outputs. Null when hone cannot run it.
  void (*evaluate)(EvaluateContext&) = nullptr;
  /// Arithmetic operations for one run. Null means one an output element for pointwise operators, one an input element
  /// for reductions, none for the rest.
  double (*flops)(const CostContext&) = nullptr;
  /// Bytes read and written for one run. Null means all inputs and outputs once, nothing for views.
  double (*bytes)(const CostContext&) = nullptr;

  /// The definition in force under `opset`: the greatest of `versions` not above it. 0 when the operator is newer.
  int version_at(std::int64_t opset) const;
};

/// All operators by name.
class OpTable {
 public:
  /// The table with every family in this folder.
  static const OpTable& instance();

  /// Null when hone has no entry.
  const OpEntry* find(const OpName* op) const;
  std::span<const OpEntry* const> entries() const { return entries_; }

 private:
  OpTable();
  std::vector<const OpEntry*> entries_;
};

/// Reads a node's attributes with the entry's defaults. Base of the contexts that operator code sees.
class NodeReader {
 public:
  NodeReader(const OpEntry& entry, const Node& node, int version) : entry_(entry), node_(node), version_(version) {}

  const OpEntry& entry() const { return entry_; }
  const Node& node() const { return node_; }
  /// The operator version in force, one of entry().versions.
  int version() const { return version_; }

  bool has_attribute(std::string_view name) const { return node_.attribute(name) != nullptr; }
  // The attribute, else its default from the table; throws InputError naming node and attribute when there is neither
  // or the type is wrong.
  std::int64_t integer(std::string_view name) const;
  float number(std::string_view name) const;
  const std::string& text(std::string_view name) const;
  const Tensor& tensor_attribute(std::string_view name) const;
  const Graph& body(std::string_view name) const;
  // List attributes are empty when absent; ask has_attribute where that differs from an empty list.
  std::vector<std::int64_t> integers(std::string_view name) const;
  std::vector<float> numbers(std::string_view name) const;
  std::vector<std::string> texts(std::string_view name) const;

  std::size_t input_count() const { return node_.written_inputs().size(); }
  bool has_input(std::size_t i) const { return i < input_count() && node_.inputs[i].valid(); }
  std::size_t output_count() const { return node_.outputs.size(); }
  bool wants_output(std::size_t i) const { return i < output_count() && node_.outputs[i].valid(); }

  /// Throws InputError: `Conv 'conv_7': <message>`.
  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    fail_text(fmt::format(format, std::forward<Args>(args)...));
  }

 private:
  [[noreturn]] void fail_text(const std::string& message) const;
  template <class T>
  const T* typed(std::string_view name) const;

  const OpEntry& entry_;
  const Node& node_;
  int version_;
};

/// `Conv 'conv_7'`, or by the first output when the node has no name.
std::string describe(const Graph& graph, NodeId id);

}  // namespace hone

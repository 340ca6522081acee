#pragma once

#include <functional>

#include "graph/ops/op.h"

namespace hone {

/// Contents of a small integer tensor as far as they are known before running: numbers and symbolic expressions, as in
/// the shape computations of exporters. Row-major.
using Contents = std::vector<Dim>;

/// What an operator's `infer` sees: types and known contents of its inputs; and where it leaves those of its outputs.
class InferContext : public NodeReader {
 public:
  /// What is known of one input or output.
  struct Fact {
    Type type;
    const Tensor* constant = nullptr;
    std::optional<Contents> contents;
  };
  using InferBody = std::function<std::vector<Type>(std::string_view attribute, std::span<const Type> inputs)>;

  InferContext(const OpEntry& entry, const Node& node, int version, std::vector<Fact> inputs, InferBody infer_body)
      : NodeReader(entry, node, version),
        inputs_(std::move(inputs)),
        outputs_(node.outputs.size()),
        infer_body_(std::move(infer_body)) {}

  /// Unknown for an omitted input.
  const Type& type(std::size_t i) const;
  /// Undefined when the input is omitted, of unknown type or no tensor.
  ElementType element(std::size_t i) const { return type(i).is_tensor() ? type(i).element : ElementType::undefined; }
  /// Null when the input is omitted or its rank is unknown.
  const Shape* shape(std::size_t i) const { return type(i).is_tensor() && type(i).ranked ? &type(i).shape : nullptr; }
  /// Null unless the input is a constant.
  const Tensor* constant(std::size_t i) const { return i < inputs_.size() ? inputs_[i].constant : nullptr; }
  /// Contents of an integer or bool input, as far as known: from a constant or from shape arithmetic.
  std::optional<Contents> contents(std::size_t i) const;
  /// Contents when every element is a number.
  std::optional<std::vector<std::int64_t>> known_integers(std::size_t i) const;

  void output(std::size_t i, Type type);
  void output(std::size_t i, ElementType element, Shape shape) { output(i, Type::tensor(element, std::move(shape))); }
  /// Element type only; the rank is unknown.
  void output(std::size_t i, ElementType element) { output(i, Type::tensor(element)); }
  void output_contents(std::size_t i, Contents contents);

  /// Output types of a body run with inputs of the given types.
  std::vector<Type> infer_body(std::string_view attribute, std::span<const Type> inputs) const {
    return infer_body_(attribute, inputs);
  }

  /// The same for a body that may turn out not to be run; nullopt, and a refusal, when it cannot be run on these
  /// inputs.
  std::optional<std::vector<Type>> try_infer_body(std::string_view attribute, std::span<const Type> inputs);

  /// A body that cannot run on its inputs, and why.
  struct Refusal {
    std::string attribute;
    std::string reason;
  };
  std::span<const Refusal> refusals() const { return refusals_; }

  std::span<const Fact> outputs() const { return outputs_; }

 private:
  std::vector<Fact> inputs_;
  std::vector<Fact> outputs_;
  InferBody infer_body_;
  std::vector<Refusal> refusals_;
};

/// For operators whose output has the type of their first input.
inline void infer_like_first(InferContext& context) { context.output(0, context.type(0)); }

}  // namespace hone

#include "graph/ops/type_join.h"

namespace hone {
namespace {

Type join_tensors(const Type& a, const Type& b) {
  const bool undecided = a.element == ElementType::undefined || b.element == ElementType::undefined;
  if (a.element != b.element && !undecided) return {};
  const ElementType element = a.element == ElementType::undefined ? b.element : a.element;
  if (!a.ranked || !b.ranked || a.shape.size() != b.shape.size()) return Type::tensor(element);
  Shape shape = a.shape;
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (shape[i] != b.shape[i]) shape[i] = Dim();
  return Type::tensor(element, shape);
}

Type inner_of(const Type& type) { return type.inner ? *type.inner : Type{}; }

}  // namespace

Type without_shape(const Type& type) {
  if (type.is_tensor()) return Type::tensor(type.element);
  Type result = type;
  if (type.inner) result.inner = std::make_shared<const Type>(without_shape(*type.inner));
  return result;
}

Type join(const Type& a, const Type& b) {
  if (a == b) return a;
  if (a.kind == Type::Kind::unknown) return without_shape(b);
  if (b.kind == Type::Kind::unknown) return without_shape(a);
  if (a.kind == Type::Kind::optional || b.kind == Type::Kind::optional) {
    const Type& left = a.kind == Type::Kind::optional ? inner_of(a) : a;
    const Type& right = b.kind == Type::Kind::optional ? inner_of(b) : b;
    return Type::container(Type::Kind::optional, join(left, right));
  }
  if (a.kind != b.kind) return {};
  if (a.is_tensor()) return join_tensors(a, b);
  if (a.kind == Type::Kind::sequence) return Type::container(a.kind, join(inner_of(a), inner_of(b)));
  return {};
}

}  // namespace hone

#include "zoo/emitter.h"

#include <algorithm>

#include "base/error.h"

namespace hone::zoo {
namespace {

Shape shape_of(const Dims& dims) {
  Shape shape;
  for (const std::int64_t d : dims) shape.push_back(d);
  return shape;
}

Integers given_or(const Integers& given, std::size_t count, std::int64_t value) {
  return given.empty() ? Integers(count, value) : given;
}

/// Outputs of a window sliding over `size` elements.
std::int64_t window_count(std::int64_t size, const Window& window, std::size_t axis) {
  const std::size_t rank = window.kernel.size();
  const std::int64_t padded = size + window.pads[axis] + window.pads[axis + rank];
  const std::int64_t span = (window.kernel[axis] - 1) * window.dilations[axis] + 1;
  if (padded < span)
    fail_usage("a window of {} does not fit into {} elements; the resolution is too small", span, padded);
  return (padded - span) / window.strides[axis] + 1;
}

}  // namespace

Window Window::complete() const {
  return {.kernel = kernel,
          .strides = given_or(strides, kernel.size(), 1),
          .pads = given_or(pads, 2 * kernel.size(), 0),
          .dilations = given_or(dilations, kernel.size(), 1)};
}

Attributes Window::attributes() const {
  const Window full = complete();
  Attributes list{{"kernel_shape", full.kernel}, {"strides", full.strides}, {"pads", full.pads}};
  if (std::ranges::any_of(full.dilations, [](std::int64_t d) { return d != 1; }))
    list.push_back({"dilations", full.dilations});
  return list;
}

Dims broadcast_dims(const Dims& a, const Dims& b) {
  Dims result(std::max(a.size(), b.size()), 1);
  for (const Dims* dims : {&a, &b}) {
    const std::size_t shift = result.size() - dims->size();
    for (std::size_t i = 0; i < dims->size(); ++i) {
      std::int64_t& d = result[i + shift];
      HONE_CHECK(d == 1 || (*dims)[i] == 1 || d == (*dims)[i], "cannot broadcast {} against {}", d, (*dims)[i]);
      if (d == 1) d = (*dims)[i];
    }
  }
  return result;
}

Emitter::Scope::Scope(Emitter& emitter, std::string_view name) : emitter_(emitter), length_(emitter.path_.size()) {
  if (!name.starts_with('/')) emitter_.path_ += '/';
  emitter_.path_ += name;
}

Dims Emitter::dims(ValueId id) const {
  Dims result;
  for (const Dim d : graph_.value(id).type.shape) {
    HONE_CHECK(d.known(), "'{}' has no static shape", graph_.value(id).name);
    result.push_back(d.value());
  }
  return result;
}

std::int64_t Emitter::dim(ValueId id, std::int64_t axis) const {
  return graph_.value(id).type.shape[positive_axis(id, axis)].value();
}

std::size_t Emitter::positive_axis(ValueId id, std::int64_t axis) const {
  const std::int64_t positive = axis < 0 ? axis + rank(id) : axis;
  HONE_CHECK(positive >= 0 && positive < rank(id), "axis {} of '{}'", axis, graph_.value(id).name);
  return static_cast<std::size_t>(positive);
}

std::string Emitter::unique_name(std::string_view name) {
  std::string full = fmt::format("{}/{}", path_, name);
  while (true) {
    const std::uint32_t earlier = names_[full]++;
    if (earlier == 0) return full;
    full += fmt::format("_{}", earlier);
  }
}

ValueId Emitter::integers(const Integers& values) {
  const auto [it, added] = integer_constants_.try_emplace(values);
  if (added)
    it->second = graph_.add_constant(fmt::format("integers_{}", integer_constants_.size()), Tensor::vector(values));
  return it->second;
}

ValueId Emitter::scalar(double value) {
  const auto [it, added] = scalar_constants_.try_emplace({element_, value});
  if (added) {
    Tensor tensor = Tensor::zeros(element_, {});
    tensor.set_number(0, value);
    it->second = graph_.add_constant(fmt::format("scalar_{}", scalar_constants_.size()), std::move(tensor));
  }
  return it->second;
}

ValueId Emitter::scalar_like(ValueId like, double value) {
  HONE_CHECK(element_of(like) == element_, "a number for '{}' of another element type", graph_.value(like).name);
  return scalar(value);
}

ValueId Emitter::constant(std::string_view name, Tensor tensor) {
  return graph_.add_constant(unique_name(name), std::move(tensor));
}

ValueId Emitter::emit(std::string_view op, std::span<const ValueId> inputs, const Dims& dims, Attributes attributes,
                      ElementType element) {
  if (element == ElementType::undefined) element = element_of(inputs[0]);
  const std::string name = unique_name(op);
  const ValueId output = graph_.add_value(name, Type::tensor(element, shape_of(dims)));
  const NodeId id = graph_.add_node(OpName::intern("", op), inputs, std::span(&output, 1), std::move(attributes), name);
  if (notes_) graph_.set_node_notes(id, notes_);
  return output;
}

std::vector<ValueId> Emitter::emit_all(std::string_view op, std::span<const ValueId> inputs, std::span<const Dims> dims,
                                       Attributes attributes) {
  const std::string name = unique_name(op);
  std::vector<ValueId> outputs;
  for (std::size_t i = 0; i < dims.size(); ++i)
    outputs.push_back(
        graph_.add_value(fmt::format("{}:{}", name, i), Type::tensor(element_of(inputs[0]), shape_of(dims[i]))));
  const NodeId id = graph_.add_node(OpName::intern("", op), inputs, outputs, std::move(attributes), name);
  if (notes_) graph_.set_node_notes(id, notes_);
  return outputs;
}

ValueId Emitter::binary(std::string_view op, ValueId a, ValueId b) {
  return emit(op, {a, b}, broadcast_dims(dims(a), dims(b)));
}

ValueId Emitter::compare(std::string_view op, ValueId a, ValueId b) {
  return emit(op, {a, b}, broadcast_dims(dims(a), dims(b)), {}, ElementType::boolean);
}

ValueId Emitter::where(ValueId condition, ValueId a, ValueId b) {
  return emit("Where", {condition, a, b}, broadcast_dims(dims(condition), broadcast_dims(dims(a), dims(b))), {},
              element_of(a));
}

ValueId Emitter::cast(ValueId x, ElementType element) {
  return emit("Cast", {x}, dims(x), {{"to", static_cast<std::int64_t>(element)}}, element);
}

ValueId Emitter::clip(ValueId x, double low, double high) {
  return emit("Clip", {x, scalar_like(x, low), scalar_like(x, high)}, dims(x));
}

ValueId Emitter::matmul(ValueId a, ValueId b) {
  const Dims left = dims(a), right = dims(b);
  HONE_CHECK(left.size() >= 2 && right.size() >= 2 && left.back() == right[right.size() - 2], "'{}' x '{}'",
             graph_.value(a).name, graph_.value(b).name);
  const Dims left_batch(std::span(left.data(), left.size() - 2)),
      right_batch(std::span(right.data(), right.size() - 2));
  Dims result = broadcast_dims(left_batch, right_batch);
  result.push_back(left[left.size() - 2]);
  result.push_back(right.back());
  return emit("MatMul", {a, b}, result);
}

ValueId Emitter::gemm(ValueId a, ValueId b, ValueId c, std::int64_t transpose_b) {
  const Dims result{dim(a, 0), dim(b, transpose_b ? 0 : 1)};
  HONE_CHECK(dim(a, 1) == dim(b, transpose_b ? 1 : 0));
  std::vector<ValueId> inputs{a, b};
  if (c.valid()) inputs.push_back(c);
  return emit("Gemm", inputs, result, transpose_b ? Attributes{{"transB", transpose_b}} : Attributes{});
}

ValueId Emitter::conv(std::span<const ValueId> inputs, const Window& window, std::int64_t groups) {
  const Window full = window.complete();
  Dims result{dim(inputs[0], 0), dim(inputs[1], 0)};
  HONE_CHECK(dim(inputs[1], 1) * groups == dim(inputs[0], 1), "channels of '{}'", graph_.value(inputs[0]).name);
  for (std::size_t i = 0; i < full.kernel.size(); ++i)
    result.push_back(window_count(dim(inputs[0], static_cast<std::int64_t>(i) + 2), full, i));
  Attributes attributes = window.attributes();
  if (groups != 1) attributes.push_back({"group", groups});
  return emit("Conv", inputs, result, std::move(attributes));
}

ValueId Emitter::reduce(std::string_view op, ValueId x, Integers axes, Reduced reduced) {
  Dims result;
  for (std::int64_t& axis : axes) axis = static_cast<std::int64_t>(positive_axis(x, axis));
  for (std::int64_t i = 0; i < rank(x); ++i) {
    if (std::ranges::find(axes, i) == axes.end()) result.push_back(dim(x, i));
    else if (reduced == Reduced::kept) result.push_back(1);
  }
  Attributes attributes{{"keepdims", std::int64_t{reduced == Reduced::kept}}};
  if (op == "ReduceSum") return emit(op, {x, integers(axes)}, result, std::move(attributes));
  attributes.push_back({"axes", axes});
  return emit(op, {x}, result, std::move(attributes));
}

ValueId Emitter::pool(std::string_view op, ValueId x, const Window& window) {
  const Window full = window.complete();
  Dims result{dim(x, 0), dim(x, 1)};
  for (std::size_t i = 0; i < full.kernel.size(); ++i)
    result.push_back(window_count(dim(x, static_cast<std::int64_t>(i) + 2), full, i));
  return emit(op, {x}, result, window.attributes());
}

ValueId Emitter::global_average_pool(ValueId x) {
  Dims result = dims(x);
  for (std::size_t i = 2; i < result.size(); ++i) result[i] = 1;
  return emit("GlobalAveragePool", {x}, result);
}

}  // namespace hone::zoo

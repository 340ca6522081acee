#include <fmt/format.h>

#include <algorithm>

#include "graph/ops/axes.h"
#include "graph/ops/evaluate.h"
#include "run/native/attention.h"
#include "run/native/computed_product.h"
#include "run/native/epilogue.h"
#include "run/native/lowering.h"
#include "run/native/onednn.h"
#include "run/native/product_step.h"
#include "run/native/threads.h"

// Products of matrices by our own code, or through oneDNN where the processor has none: constant ones are packed once,
// stacks of them are multiplied one by one.

namespace hone::native {
namespace {

constexpr double kProductNanoseconds = 0.02;  // of a multiplication and an addition

/// A matrix, or a stack of them, in an array.
struct MatrixStack {
  Stored stored;  // the last two axes are rows and columns
  std::int64_t rows() const { return stored.view.dims[stored.view.dims.size() - 2]; }
  std::int64_t columns() const { return stored.view.dims[stored.view.dims.size() - 1]; }
};

/// A value as matrices, copied where its rows and columns lie in no way that oneDNN takes.
Stored as_matrices(Lowering& lowering, ValueId id) {
  const Stored there = lowering.stored(id);
  if (matrix_layout(there.view)) return there;
  return lowering.laid_out(id, dense_view(there.view.element, there.view.dims));
}

/// The same of what is multiplied with. A single constant matrix has no place: it is read to be packed alone.
Stored as_weights(Lowering& lowering, ValueId id) {
  const Tensor* constant = lowering.constant(id);
  if (constant == nullptr || constant->rank() != 2) return as_matrices(lowering, id);
  return {.array = {}, .view = dense_view(constant->type(), constant->dims())};
}

/// All matrices of a stack below one another; nothing where they do not lie so.
std::optional<Stored> below_one_another(const Stored& stack) {
  const Dims& dims = stack.view.dims;
  const std::int64_t columns = dims[dims.size() - 1], rows = columns == 0 ? 0 : element_count(dims) / columns;
  const auto found = in_array(stack.view, {.strides = {columns, 1}}, {rows, columns});
  const auto* read = std::get_if<LoopRead>(&found);
  if (read == nullptr) return std::nullopt;
  return Stored{
      .array = stack.array,
      .view = {
          .element = stack.view.element, .dims = {rows, columns}, .strides = read->strides, .offset = read->offset}};
}

/// A product to be lowered.
struct Product {
  NodeId node;
  MatrixStack a, b;
  const Tensor* weights = nullptr;  // the elements of `b` where it is a single constant matrix
  ValueId bias;                     // one constant a column, or none
  ValueId result;
};

/// A constant vector that is added to every row of the result, as the only thing done with it.
std::optional<NodeId> bias_reader(const Lowering& lowering, const Product& product) {
  const auto reader = lowering.only_reader(product.result);
  if (!reader || !lowering.graph().node(*reader).op->is("Add")) return std::nullopt;
  const Node& node = lowering.graph().node(*reader);
  const ValueId other = node.inputs[0] == product.result ? node.inputs[1] : node.inputs[0];
  const Tensor* vector = lowering.constant(other);
  if (vector == nullptr || vector->rank() == 0 || !(lowering.dims(node.outputs[0]) == lowering.dims(product.result)))
    return std::nullopt;
  const bool is_row = static_cast<std::int64_t>(vector->count()) == vector->dim(vector->rank() - 1) &&
                      vector->dim(vector->rank() - 1) == product.b.columns();
  return is_row ? reader : std::nullopt;
}

/// How far each argument lies from the first, for every matrix of the result.
OneDnnStep::Repeat repeat_over(const Dims& stack, const std::vector<const LoopView*>& views) {
  OneDnnStep::Repeat repeat;
  std::vector<Dims> strides;
  for (const LoopView* view : views) {
    Dims aligned(stack.size(), 0);
    const std::size_t own = view->dims.size() - 2;
    for (std::size_t i = 0; i < own; ++i) aligned[stack.size() - own + i] = view->dims[i] == 1 ? 0 : view->strides[i];
    strides.push_back(aligned);
  }
  for (StridedWalk walk(stack, {}); !walk.done(); walk.next()) {
    std::vector<std::int64_t> offsets;
    for (const Dims& along : strides) {
      std::int64_t offset = 0;
      for (std::size_t axis = 0; axis < stack.size(); ++axis) offset += walk.index(axis) * along[axis];
      offsets.push_back(offset * 4);
    }
    repeat.offset_bytes.push_back(std::move(offsets));
  }
  return repeat;
}

/// The same view as a matrix of all its rows.
LoopView as_rows(const LoopView& view, std::int64_t columns) {
  LoopView rows = dense_view(view.element, {columns == 0 ? 0 : element_count(view.dims) / columns, columns});
  rows.offset = view.offset;
  return rows;
}

using ProductPrimitive = dnnl::matmul::primitive_desc;

/// Nothing where oneDNN has no code for it.
std::optional<ProductPrimitive> product_primitive(const Layout& a, const Layout& b, const Layout& result, bool has_bias,
                                                  const dnnl::primitive_attr& attributes) {
  const Layout bias({1, result.dims()[1]}, kReal, {result.dims()[1], 1});
  try {
    const dnnl::matmul::desc description =
        has_bias ? dnnl::matmul::desc(a, b, bias, result) : dnnl::matmul::desc(a, b, result);
    return ProductPrimitive(description, attributes, onednn_engine());
  } catch (const dnnl::error&) {
    return std::nullopt;
  }
}

/// Takes a constant row that is added to the result as part of the product.
void take_bias(Lowering& lowering, Product& product) {
  const auto reader = product.bias.valid() ? std::nullopt : bias_reader(lowering, product);
  if (!reader) return;
  const Node& node = lowering.graph().node(*reader);
  product.bias = node.inputs[0] == product.result ? node.inputs[1] : node.inputs[0];
  product.result = node.outputs[0];
  lowering.mark_done(*reader);
}

/// All rows of a stack as one matrix, copied where they do not lie so.
Stored rows_of(Lowering& lowering, const Stored& stack) {
  const auto rows = below_one_another(stack);
  if (rows && matrix_layout(rows->view)) return *rows;
  return *below_one_another(lowering.copied(stack, dense_view(stack.view.element, stack.view.dims), "rows"));
}

/// What multiplies and what is added, as far as they are constant.
std::vector<OneDnnStep::Held> held_by(const Lowering& lowering, const Product& product,
                                      const ProductPrimitive& primitive) {
  std::vector<OneDnnStep::Held> held;
  if (product.weights != nullptr) {
    const Tensor weights = lowering.elements(lowering.graph().node(product.node).inputs[1]);
    held.push_back({DNNL_ARG_WEIGHTS, packed(weights.values<float>().data() + product.b.stored.view.offset,
                                             *matrix_layout(product.b.stored.view), primitive.weights_desc())});
  }
  if (product.bias.valid()) {
    const Tensor bias = lowering.elements(product.bias);
    held.push_back({DNNL_ARG_BIAS, packed(bias.bytes().data(), primitive.bias_desc(), primitive.bias_desc())});
  }
  return held;
}

/// The weights of a product packed; steps of an unrolled loop share them.
std::shared_ptr<const PackedProduct> shared_product(Lowering& lowering, const Product& product,
                                                    const PackedProduct::Shape& shape) {
  const LoopView& weights = product.b.stored.view;
  const ValueId constant = lowering.graph().node(product.node).inputs[1];
  std::vector<Lowering::SharedProduct>& known = lowering.shared_products(constant);
  for (const Lowering::SharedProduct& each : known)
    if (each.bias == product.bias && each.weights == weights && each.product->shape() == shape) return each.product;
  auto packed = std::make_shared<PackedProduct>(shape);
  known.push_back({.bias = product.bias, .weights = weights, .product = packed});
  const Tensor bias = product.bias.valid() ? lowering.elements(product.bias) : Tensor();
  lowering.pack_later(constant, [packed, weights, bias, elements = product.weights->bytes().data()] {
    packed->pack({.elements = elements + weights.offset * static_cast<std::int64_t>(sizeof(float)),
                  .depth_stride = weights.strides[0],
                  .column_stride = weights.strides[1],
                  .bias = bias.count() > 0 ? bias.values<float>().data() : nullptr});
  });
  return packed;
}

/// What is added to the columns, as numbers.
std::vector<float> bias_elements(const Lowering& lowering, const Product& product) {
  if (!product.bias.valid()) return {};
  const Tensor bias = lowering.elements(product.bias);
  const auto numbers = bias.values<float>();
  return {numbers.begin(), numbers.end()};
}

/// Matrices that lie row by row, copied where they do not.
Stored with_rows(Lowering& lowering, const Stored& stack) {
  if (has_rows(stack.view)) return stack;
  return lowering.copied(stack, dense_view(stack.view.element, stack.view.dims), "rows");
}

/// The product by our own code, which does as much of what follows as it can.
void lower_own_product(Lowering& lowering, Product product) {
  const Dims dims = lowering.dims(product.result);
  const std::int64_t columns = dims[dims.size() - 1];
  take_bias(lowering, product);
  const LoopView dense = dense_view(ElementType::float32, dims);
  Following following = following_of(lowering, product.result, dense);
  auto finishes = product_finishes(following.steps, columns, kProductBlock);
  for (; !finishes; finishes = product_finishes(following.steps, columns, kProductBlock)) following.drop_last();
  following.mark_done(lowering);
  const bool one = product.weights != nullptr;
  const Stored a = with_rows(lowering, one ? rows_of(lowering, product.a.stored) : product.a.stored);
  const Stored to = lowering.allocate(following.result(), dense);
  std::unique_ptr<Step> step;
  if (one) {
    auto packed = shared_product(lowering, product,
                                 {.rows = a.view.dims[0],
                                  .depth = a.view.dims[1],
                                  .columns = columns,
                                  .a_row = a.view.strides[0],
                                  .c_row = columns});
    step = std::make_unique<ProductStep>(std::move(packed), a.place(), to.place(), std::move(*finishes));
  } else {
    step = std::make_unique<ComputedProduct>(ComputedProduct::Matrices{a, product.b.stored, to},
                                             bias_elements(lowering, product), std::move(*finishes));
  }
  const Graph& graph = lowering.graph();
  lowering.add_step(std::move(step), product.node,
                    fmt::format("product {}{}{}", graph.node(product.node).op->name,
                                product.bias.valid() ? "+bias" : "", following.text(graph)));
}

/// What follows as it is done with rows of a result that are taken for a matrix of so many columns.
std::vector<Epilogue> epilogue_of_rows(const Product& product, const Following& following, const Dims& dims) {
  const std::int64_t columns = dims[dims.size() - 1];
  std::vector<Epilogue> steps = following.steps;
  for (Epilogue& step : steps)
    if (step.kind == Epilogue::Kind::add)
      step.view = product.weights != nullptr ? as_rows(step.view, columns)
                                             : dense_view(step.view.element, {dims[dims.size() - 2], columns});
  return steps;
}

/// Whether oneDNN has code for a product of such sizes, dense ones.
bool has_code_for(const Product& product, const Dims& dims, std::span<const Epilogue> steps) {
  const bool one = product.weights != nullptr;
  const std::int64_t columns = dims[dims.size() - 1], depth = product.a.columns();
  const std::int64_t rows = one ? element_count(dims) / columns : dims[dims.size() - 2];
  const auto layout = [](std::int64_t height, std::int64_t width) {
    return Layout({height, width}, kReal, {width, 1});
  };
  return product_primitive(layout(rows, depth), layout(depth, columns), layout(rows, columns), product.bias.valid(),
                           onednn_attributes(steps))
      .has_value();
}

bool lower_product(Lowering& lowering, Product product) {
  const Dims dims = lowering.dims(product.result);
  if (element_count(dims) == 0 || product.a.columns() == 0) return false;
  if (PackedProduct::is_available()) {
    lower_own_product(lowering, std::move(product));
    return true;
  }
  const bool one = product.weights != nullptr;
  if (!has_code_for(product, dims, {})) return false;
  take_bias(lowering, product);
  const LoopView dense = dense_view(ElementType::float32, dims);
  Following following = following_of(lowering, product.result, dense);
  while (!following.steps.empty() && !has_code_for(product, dims, epilogue_of_rows(product, following, dims)))
    following.drop_last();
  following.mark_done(lowering);

  const Stored a = one ? rows_of(lowering, product.a.stored) : product.a.stored;
  const std::int64_t columns = dims[dims.size() - 1];
  const Stored to = lowering.allocate(following.result(), dense);
  const LoopView result_view = one ? as_rows(to.view, columns) : to.view;
  const std::vector<Epilogue> steps = epilogue_of_rows(product, following, dims);
  const Graph& graph = lowering.graph();
  const std::string text = fmt::format("{}{}{}", graph.node(product.node).op->name, product.bias.valid() ? "+bias" : "",
                                       following.text(graph));
  const Layout any({product.b.rows(), columns}, kReal, dnnl::memory::format_tag::any);
  Dims stack;
  for (std::size_t axis = 0; axis + 2 < dims.size(); ++axis) stack.push_back(dims[axis]);
  std::optional<OneThread> alone;  // where threads share the stack instead of each matrix
  if (!one && element_count(stack) >= static_cast<std::int64_t>(thread_count())) alone.emplace();
  const auto found = product_primitive(*matrix_layout(a.view), one ? any : *matrix_layout(product.b.stored.view),
                                       *matrix_layout(result_view), product.bias.valid(), onednn_attributes(steps));
  HONE_CHECK(found.has_value(), "{}: oneDNN multiplies dense matrices alone", text);
  const ProductPrimitive& primitive = *found;
  std::vector<OneDnnStep::Argument> arguments{{DNNL_ARG_SRC, a.place(), primitive.src_desc()},
                                              {DNNL_ARG_DST, to.place(), primitive.dst_desc()}};
  std::vector<const LoopView*> views{&a.view, &result_view};
  if (!one) {
    arguments.push_back({DNNL_ARG_WEIGHTS, product.b.stored.place(), primitive.weights_desc()});
    views.push_back(&product.b.stored.view);
  }
  add_epilogue_arguments(steps, arguments);
  views.resize(arguments.size(), &dense);
  OneDnnStep::Repeat repeat = one ? OneDnnStep::Repeat() : repeat_over(stack, views);
  repeat.is_shared = alone.has_value();
  alone.reset();
  repeat.nanoseconds = kProductNanoseconds * static_cast<double>(element_count(dims) * product.a.columns());
  lowering.add_step(std::make_unique<OneDnnStep>(dnnl::matmul(primitive), primitive.scratchpad_desc(), arguments,
                                                 held_by(lowering, product, primitive), std::move(repeat)),
                    product.node, fmt::format("{} {}", primitive.impl_info_str(), text));
  return true;
}

bool is_float(const Lowering& lowering, ValueId id) {
  return lowering.graph().value(id).type.element == ElementType::float32;
}

bool lower_matmul(Lowering& lowering, NodeId id) {
  if (lower_attention(lowering, id)) return true;
  const Node& node = lowering.graph().node(id);
  if (!is_float(lowering, node.inputs[0])) return false;
  if (lowering.dims(node.inputs[0]).size() < 2 || lowering.dims(node.inputs[1]).size() < 2) return false;
  const Tensor* b = lowering.constant(node.inputs[1]);
  const bool is_single = b != nullptr && b->rank() == 2;
  Product product{.node = id,
                  .a = {as_matrices(lowering, node.inputs[0])},
                  .b = {as_weights(lowering, node.inputs[1])},
                  .result = node.outputs[0]};
  if (is_single) product.weights = b;
  return lower_product(lowering, product);
}

Stored transposed(Stored matrix) {
  std::swap(matrix.view.dims[0], matrix.view.dims[1]);
  std::swap(matrix.view.strides[0], matrix.view.strides[1]);
  return matrix;
}

/// Alpha and beta other than 1 are rare, and so is anything but a constant row that is added.
bool lower_gemm(Lowering& lowering, NodeId id) {
  const Node& node = lowering.graph().node(id);
  const Definition definition = definition_of(node, lowering.model().opsets);
  const NodeReader reader(*definition.entry, node, definition.version);
  if (!is_float(lowering, node.inputs[0]) || reader.number("alpha") != 1) return false;
  Product product{.node = id, .a = {}, .b = {}, .result = node.outputs[0]};
  if (reader.has_input(2)) {
    const Tensor* added = lowering.constant(node.inputs[2]);
    const Dims dims = lowering.dims(node.outputs[0]);
    if (added == nullptr || reader.number("beta") != 1 || added->rank() == 0) return false;
    if (static_cast<std::int64_t>(added->count()) != dims[1] || added->dim(added->rank() - 1) != dims[1]) return false;
    product.bias = node.inputs[2];
  }
  Stored a = as_matrices(lowering, node.inputs[0]), b = as_weights(lowering, node.inputs[1]);
  product.a.stored = reader.integer("transA") != 0 ? transposed(a) : a;
  product.b.stored = reader.integer("transB") != 0 ? transposed(b) : b;
  product.weights = lowering.constant(node.inputs[1]);
  return lower_product(lowering, product);
}

const LoweringTable matrix_products({{"MatMul", lower_matmul}, {"Gemm", lower_gemm}});

}  // namespace
}  // namespace hone::native

#include <cmath>

#include "graph/ops/axes.h"
#include "graph/ops/cost_context.h"
#include "graph/ops/evaluate_context.h"
#include "graph/ops/family.h"
#include "graph/ops/infer_context.h"
#include "graph/ops/matrix_product.h"
#include "graph/ops/numbers.h"
#include "graph/ops/quantized.h"

// Products of matrices and stacks of matrices.

namespace hone {
namespace {

void check_inner(const NodeReader& node, const Shape& a, const Shape& b, Dim a_inner, Dim b_inner) {
  if (a_inner.known() && b_inner.known() && a_inner != b_inner)
    node.fail("cannot multiply {} by {}", text_of(a), text_of(b));
}

/// Shape of a product of two stacks of matrices; a vector stands for a row on the left and for a column on the right.
Shape product_shape(const NodeReader& node, const Shape& a, const Shape& b) {
  if (a.empty() || b.empty()) node.fail("cannot multiply {} by {}", text_of(a), text_of(b));
  check_inner(node, a, b, a.back(), b[b.size() > 1 ? b.size() - 2 : 0]);
  const auto stack = [](const Shape& s) { return Shape(std::span(s.data(), s.size() > 2 ? s.size() - 2 : 0)); };
  Shape shape = broadcast(node, stack(a), stack(b));
  if (a.size() > 1) shape.push_back(a[a.size() - 2]);
  if (b.size() > 1) shape.push_back(b.back());
  return shape;
}

/// Where MatMul's second factor stands among the inputs of the plain and the quantised form.
std::size_t right_factor(const NodeReader& node) { return node.entry().name == "QLinearMatMul" ? 3 : 1; }

void infer_product(InferContext& context, ElementType element) {
  const Shape* a = context.shape(0);
  const Shape* b = context.shape(right_factor(context));
  if (a == nullptr || b == nullptr) return context.output(0, element);
  context.output(0, element, product_shape(context, *a, *b));
}

void infer_matmul(InferContext& context) { infer_product(context, context.element(0)); }
void infer_matmul_integer(InferContext& context) { infer_product(context, ElementType::int32); }
void infer_qlinear_matmul(InferContext& context) {
  infer_product(context, context.has_input(7) ? context.element(7) : context.element(0));
}

/// A stack of matrices: the elements and the dims with a vector made a matrix.
template <class T>
struct Stack {
  const T* data;
  Dims dims;
};

/// Products of all pairs of matrices of two stacks, the leading dims broadcast.
template <class T>
std::vector<T> stack_product(const NodeReader& node, const Stack<T>& a, const Stack<T>& b) {
  const ProductExtents extents = {a.dims[a.dims.size() - 2], a.dims.back(), b.dims.back()};
  const auto outer = [](const Dims& dims) { return Dims(std::span(dims.data(), dims.size() - 2)); };
  const Dims stack = broadcast(node, outer(a.dims), outer(b.dims));
  const auto matrix = static_cast<std::size_t>(extents.rows * extents.columns);
  std::vector<T> out(buffer_size({element_count(stack), extents.rows, extents.columns}));
  if (out.empty()) return out;
  const Dims a_steps = broadcast_strides(outer(a.dims), stack), b_steps = broadcast_strides(outer(b.dims), stack);
  for (StridedWalk walk(stack, {&a_steps, &b_steps}); !walk.done(); walk.next()) {
    const T* left = a.data + static_cast<std::int64_t>(walk.offset(0)) * extents.rows * extents.inner;
    const T* right = b.data + static_cast<std::int64_t>(walk.offset(1)) * extents.inner * extents.columns;
    matrix_product<T>(extents, {left, extents.inner}, {right, extents.columns},
                      {out.data() + walk.position() * matrix, extents.columns});
  }
  return out;
}

Dims as_row(Dims dims) {
  if (dims.size() == 1) dims.insert(0, 1);
  return dims;
}
Dims as_column(Dims dims) {
  if (dims.size() == 1) dims.push_back(1);
  return dims;
}

void evaluate_matmul(EvaluateContext& context) {
  const Tensor &a = context.tensor(0), &b = context.tensor(1);
  if (a.type() != b.type()) context.fail("the factors have different element types");
  const Dims dims = dims_of(product_shape(context, a.shape(), b.shape()));
  dispatch_product(a.type(), [&](auto sample) {
    using T = decltype(sample);
    const Numbers<T> left(a), right(b);
    const auto product =
        stack_product<T>(context, {left.data(), as_row(a.dims())}, {right.data(), as_column(b.dims())});
    context.output(0, tensor_of(a.type(), dims, product));
  });
}

/// A quantisation parameter of the left factor or the result: a vector has one number a row.
Tensor per_row(const Tensor& parameter) {
  return parameter.rank() == 1 && parameter.count() > 1 ? parameter.reshaped({parameter.dim(0), 1}) : parameter;
}

/// Product of two 8-bit tensors without their zero points, modulo 2^32.
std::vector<std::uint32_t> integer_product(const NodeReader& node, const Tensor& a, const Tensor& b,
                                           const Tensor* a_zero_point, const Tensor* b_zero_point) {
  const Tensor a_offsets = a_zero_point != nullptr ? per_row(*a_zero_point) : Tensor();
  const auto left = centered(node, a, a_zero_point != nullptr ? &a_offsets : nullptr);
  const auto right = centered(node, b, b_zero_point);
  return stack_product<std::uint32_t>(node, {left.data(), as_row(a.dims())}, {right.data(), as_column(b.dims())});
}

void evaluate_matmul_integer(EvaluateContext& context) {
  const Tensor &a = context.tensor(0), &b = context.tensor(1);
  const Dims dims = dims_of(product_shape(context, a.shape(), b.shape()));
  const auto zero_point = [&](std::size_t i) { return context.has_input(i) ? &context.tensor(i) : nullptr; };
  context.output(0, tensor_of(ElementType::int32, dims, integer_product(context, a, b, zero_point(2), zero_point(3))));
}

void evaluate_qlinear_matmul(EvaluateContext& context) {
  const Tensor &a = context.tensor(0), &b = context.tensor(3), &y_zero_point = context.tensor(7);
  const Dims dims = dims_of(product_shape(context, a.shape(), b.shape()));
  const auto sums = integer_product(context, a, b, &context.tensor(2), &context.tensor(5));
  const Tensor parameters[] = {per_row(context.tensor(1)), context.tensor(4), per_row(context.tensor(6)),
                               per_row(y_zero_point)};
  std::vector<Numbers<double>> numbers;
  std::vector<Dims> strides;
  for (const Tensor& parameter : parameters) {
    if (broadcast(context, dims, parameter.dims()) != dims) context.fail("a scale or zero point has the wrong shape");
    numbers.emplace_back(parameter);
    strides.push_back(broadcast_strides(parameter.dims(), dims));
  }
  std::vector<double> result(sums.size());
  for (StridedWalk walk(dims, {&strides[0], &strides[1], &strides[2], &strides[3]}); !walk.done(); walk.next()) {
    const double scale = numbers[0][walk.offset(0)] * numbers[1][walk.offset(1)] / numbers[2][walk.offset(2)];
    const auto sum = static_cast<std::int32_t>(sums[walk.position()]);
    result[walk.position()] = quantized(sum * scale, numbers[3][walk.offset(3)], y_zero_point.type());
  }
  context.output(0, tensor_of(y_zero_point.type(), dims, result));
}

/// A Gemm factor's shape after the transposition its attribute asks for.
Shape gemm_factor(const NodeReader& node, const Shape& shape, std::string_view transposed) {
  if (shape.size() != 2) node.fail("a factor of shape {} is no matrix", text_of(shape));
  return node.integer(transposed) != 0 ? Shape{shape[1], shape[0]} : shape;
}

Shape gemm_shape(const NodeReader& node, const Shape& a, const Shape& b) {
  const Shape left = gemm_factor(node, a, "transA"), right = gemm_factor(node, b, "transB");
  check_inner(node, left, right, left[1], right[0]);
  return {left[0], right[1]};
}

void infer_gemm(InferContext& context) {
  const Shape *a = context.shape(0), *b = context.shape(1);
  if (a == nullptr || b == nullptr) return context.output(0, context.element(0), Shape(2));
  const Shape shape = gemm_shape(context, *a, *b);
  if (const Shape* c = context.shape(2)) {
    if (c->size() > 2) context.fail("cannot add {} to a matrix", text_of(*c));
    broadcast(context, shape, *c);
  }
  context.output(0, context.element(0), shape);
}

/// x times a factor; integers stay exact when the factor is one.
template <class T>
T scaled(T x, float factor) {
  if (factor == 1) return x;
  if constexpr (std::is_floating_point_v<T>) return x * static_cast<T>(factor);
  else
    return static_cast<T>(
        static_cast<std::int64_t>(static_cast<double>(static_cast<std::make_signed_t<T>>(x)) * factor));
}

template <class T>
void evaluate_gemm_as(EvaluateContext& context, const Dims& dims) {
  const Tensor &a = context.tensor(0), &b = context.tensor(1);
  const Numbers<T> left(a), right(b);
  MatrixView<const T> left_view = {left.data(), a.dim(1)}, right_view = {right.data(), b.dim(1)};
  const bool a_transposed = context.integer("transA") != 0;
  if (a_transposed) left_view = left_view.transposed();
  if (context.integer("transB") != 0) right_view = right_view.transposed();
  std::vector<T> out(buffer_size(dims));
  matrix_product<T>({dims[0], a.dim(a_transposed ? 0 : 1), dims[1]}, left_view, right_view, {out.data(), dims[1]});
  const float alpha = context.number("alpha"), beta = context.number("beta");
  for (T& x : out) x = scaled(x, alpha);
  if (context.has_input(2)) {
    const Tensor& c = context.tensor(2);
    if (c.rank() > 2 || broadcast(context, dims, c.dims()) != dims) context.fail("cannot add {}", text_of(c.shape()));
    const Numbers<T> added(c);
    const Dims strides = broadcast_strides(c.dims(), dims);
    for (StridedWalk walk(dims, {&strides}); !walk.done(); walk.next())
      out[walk.position()] += scaled(added[walk.offset(0)], beta);
  }
  context.output(0, tensor_of(a.type(), dims, out));
}

void evaluate_gemm(EvaluateContext& context) {
  const Dims dims = dims_of(gemm_shape(context, context.tensor(0).shape(), context.tensor(1).shape()));
  dispatch_product(context.tensor(0).type(), [&](auto sample) { evaluate_gemm_as<decltype(sample)>(context, dims); });
}

Shape det_shape(const NodeReader& node, const Shape& x) {
  if (x.size() < 2) node.fail("{} holds no matrices", text_of(x));
  const Dim rows = x[x.size() - 2], columns = x.back();
  if (rows.known() && columns.known() && rows != columns) node.fail("the matrices of {} are not square", text_of(x));
  return Shape(std::span(x.data(), x.size() - 2));
}

void infer_det(InferContext& context) {
  if (context.shape(0) == nullptr) return context.output(0, context.element(0));
  context.output(0, context.element(0), det_shape(context, *context.shape(0)));
}

/// Determinant by elimination with the largest pivot of each column.
double determinant(std::vector<double> matrix, std::size_t n) {
  double product = 1;
  for (std::size_t column = 0; column < n; ++column) {
    std::size_t pivot = column;
    for (std::size_t row = column + 1; row < n; ++row)
      if (std::abs(matrix[row * n + column]) > std::abs(matrix[pivot * n + column])) pivot = row;
    if (matrix[pivot * n + column] == 0) return 0;
    if (pivot != column) {
      for (std::size_t k = 0; k < n; ++k) std::swap(matrix[pivot * n + k], matrix[column * n + k]);
      product = -product;
    }
    product *= matrix[column * n + column];
    for (std::size_t row = column + 1; row < n; ++row) {
      const double factor = matrix[row * n + column] / matrix[column * n + column];
      for (std::size_t k = column; k < n; ++k) matrix[row * n + k] -= factor * matrix[column * n + k];
    }
  }
  return product;
}

void evaluate_det(EvaluateContext& context) {
  const Tensor& x = context.tensor(0);
  const Dims dims = dims_of(det_shape(context, x.shape()));
  const auto n = static_cast<std::size_t>(x.dims().back());
  const Numbers<double> numbers(x);
  std::vector<double> result(buffer_size(dims));
  for (std::size_t i = 0; i < result.size(); ++i) {
    const std::span<const double> matrix = numbers.view().subspan(i * n * n, n * n);
    result[i] = determinant({matrix.begin(), matrix.end()}, n);
  }
  context.output(0, tensor_of(x.type(), dims, result));
}

double product_flops(const CostContext& context) { return 2 * context.output_elements(0) * context.input_dim(0, -1); }

double gemm_flops(const CostContext& context) {
  const double inner = context.input_dim(0, context.integer("transA") != 0 ? 0 : 1);
  return context.output_elements(0) * (2 * inner + (context.has_input(2) ? 1 : 0));
}

double det_flops(const CostContext& context) {
  const double n = context.input_dim(0, -1);
  return context.input_elements(0) * n * 2 / 3;
}

// clang-format off
const OpFamily matmul_family({
    {.name = "MatMul", .versions = {1, 9, 13}, .inputs = {2, 2},
     .kind = OpKind::contraction, .degree = Degree::product,
     .infer = infer_matmul, .evaluate = evaluate_matmul, .flops = product_flops},
    {.name = "Gemm", .versions = {1, 6, 7, 9, 11, 13}, .inputs = {2, 3},
     .attributes = {number("alpha", 1), number("beta", 1), integer("transA", 0), integer("transB", 0),
                    integer("broadcast", 0).until(7)},
     .kind = OpKind::contraction, .degree = Degree::bilinear,
     .infer = infer_gemm, .evaluate = evaluate_gemm, .flops = gemm_flops},
    {.name = "MatMulInteger", .versions = {10}, .inputs = {2, 4},
     .kind = OpKind::contraction, .infer = infer_matmul_integer, .evaluate = evaluate_matmul_integer,
     .flops = product_flops},
    {.name = "QLinearMatMul", .versions = {10, 21}, .inputs = {8, 8},
     .kind = OpKind::contraction, .infer = infer_qlinear_matmul, .evaluate = evaluate_qlinear_matmul,
     .flops = product_flops},
    {.name = "Det", .versions = {11, 22},
     .kind = OpKind::contraction, .infer = infer_det, .evaluate = evaluate_det, .flops = det_flops},
});
// clang-format on

}  // namespace
}  // namespace hone

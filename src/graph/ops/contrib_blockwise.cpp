#include "graph/ops/as_operator.h"
#include "graph/ops/axes.h"
#include "graph/ops/cost_context.h"
#include "graph/ops/family.h"
#include "graph/ops/real_array.h"

// MatMulNBits of com.microsoft: a product with weights that are packed, a few bits each, in blocks with a scale.
//
//   A [.., K], B [N, blocks, bytes], scales [N * blocks], zero points (packed bytes, or one number a block), g_idx,
//   bias

namespace hone {
namespace {

enum Input : std::size_t { kA, kB, kScales, kZeroPoints, kGroups, kBias };

/// How B is packed.
struct Packing {
  std::int64_t inner = 0;    // K
  std::int64_t columns = 0;  // N
  std::int64_t bits = 4;
  std::int64_t block = 32;  // weights that share a scale

  std::int64_t blocks() const { return (inner + block - 1) / block; }
  std::int64_t block_bytes() const { return (block * bits + 7) / 8; }
};

Packing packing_of(const NodeReader& node) {
  constexpr std::int64_t kMost = std::int64_t{1} << 30;  // keeps products of the sizes within 64 bits
  const Packing packing{.inner = node.integer("K"),
                        .columns = node.integer("N"),
                        .bits = node.integer("bits"),
                        .block = node.integer("block_size")};
  if (packing.inner < 1 || packing.columns < 1 || packing.inner > kMost || packing.columns > kMost)
    node.fail("K is {} and N is {}", packing.inner, packing.columns);
  if (packing.bits != 2 && packing.bits != 4 && packing.bits != 8)
    node.fail("weights of {} bits are not supported", packing.bits);
  if (packing.block < 8 || packing.block > kMost) node.fail("block_size is {}", packing.block);
  return packing;
}

void infer_blockwise_product(InferContext& context) {
  const Packing packing = packing_of(context);
  const Shape* a = context.shape(kA);
  if (a == nullptr) return context.output(0, context.element(kA));
  if (a->empty() || (a->back().known() && a->back() != Dim(packing.inner)))
    context.fail("A {} does not end in K = {}", text_of(*a), packing.inner);
  Shape shape = *a;
  shape.back() = packing.columns;
  context.output(0, context.element(kA), shape);
}

/// Integer `index` of a row of packed ones, lowest bits first.
double unpacked(std::span<const std::byte> row, std::int64_t index, std::int64_t bits) {
  const auto bit = static_cast<std::size_t>(index * bits);
  return static_cast<double>((std::to_integer<unsigned>(row[bit / 8]) >> (bit % 8)) & ((1u << bits) - 1));
}

/// Zero point of every block: given as numbers, given packed, or the middle of the range.
std::vector<double> zero_points(const EvaluateContext& context, const Packing& packing) {
  const auto count = static_cast<std::size_t>(packing.columns * packing.blocks());
  if (!context.has_input(kZeroPoints)) return std::vector<double>(count, static_cast<double>(1 << (packing.bits - 1)));
  const Tensor& given = context.tensor(kZeroPoints);
  if (given.type() != ElementType::uint8) {
    if (given.count() != count) context.fail("there are {} zero points for {} blocks", given.count(), count);
    return RealArray::of(given).values;
  }
  const std::int64_t row_bytes = (packing.blocks() * packing.bits + 7) / 8;
  if (static_cast<std::int64_t>(given.count()) != packing.columns * row_bytes)
    context.fail("the zero points have {} bytes", given.count());
  std::vector<double> points;
  for (std::int64_t n = 0; n < packing.columns; ++n) {
    const auto row =
        given.bytes().subspan(static_cast<std::size_t>(n * row_bytes), static_cast<std::size_t>(row_bytes));
    for (std::int64_t block = 0; block < packing.blocks(); ++block)
      points.push_back(unpacked(row, block, packing.bits));
  }
  return points;
}

/// The weights as a K x N matrix.
Tensor unpacked_weights(const EvaluateContext& context, const Packing& packing) {
  const std::span<const std::byte> bytes = context.tensor(kB).bytes();
  const RealArray scales = RealArray::of(context.tensor(kScales));
  const std::int64_t blocks = packing.blocks();
  if (std::ssize(bytes) != packing.columns * blocks * packing.block_bytes() ||
      std::ssize(scales.values) != packing.columns * blocks)
    context.fail("weights or scales do not fit K = {} and N = {}", packing.inner, packing.columns);
  const std::vector<double> points = zero_points(context, packing);
  Tensor weights = Tensor::zeros(ElementType::float32, {packing.inner, packing.columns});
  const std::span<float> out = weights.write<float>();
  for (std::int64_t n = 0; n < packing.columns; ++n) {
    for (std::int64_t k = 0; k < packing.inner; ++k) {
      const auto block = static_cast<std::size_t>(n * blocks + k / packing.block);
      const auto row = bytes.subspan(block * static_cast<std::size_t>(packing.block_bytes()));
      const double weight = (unpacked(row, k % packing.block, packing.bits) - points[block]) * scales.values[block];
      out[static_cast<std::size_t>(k * packing.columns + n)] = static_cast<float>(weight);
    }
  }
  return weights;
}

void evaluate_product(EvaluateContext& context) {
  if (context.has_input(kGroups)) context.fail("reordered groups (g_idx) are not supported");
  const Packing packing = packing_of(context);
  const Tensor& a = context.tensor(kA);
  if (a.rank() == 0 || a.dims().back() != packing.inner)
    context.fail("A {} does not end in K = {}", text_of(a.shape()), packing.inner);
  const Datum factors[] = {RealArray::of(a).rounded(ElementType::float32), unpacked_weights(context, packing)};
  RealArray result = RealArray::of(tensor_as(context, {.name = "MatMul", .opset = 13}, factors));
  if (context.has_input(kBias)) add(context, result, RealArray::of(context.tensor(kBias)));
  context.output(0, result.rounded(a.type()));
}

double blockwise_product_flops(const CostContext& context) {
  return 2 * context.output_elements(0) * context.input_dim(kA, -1);
}

// clang-format off
const OpFamily contrib_blockwise_family({
    {.name = "MatMulNBits", .domain = "com.microsoft", .versions = {1}, .inputs = {3, 6},
     .attributes = {integer("K"), integer("N"), integer("bits", 4), integer("block_size"), integer("accuracy_level", 0)},
     .kind = OpKind::contraction, .infer = infer_blockwise_product, .evaluate = evaluate_product, .flops = blockwise_product_flops},
});
// clang-format on

}  // namespace
}  // namespace hone

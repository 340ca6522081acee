#include <cmath>
#include <limits>

#include "graph/ops/axes.h"
#include "graph/ops/cost_context.h"
#include "graph/ops/evaluate_context.h"
#include "graph/ops/family.h"
#include "graph/ops/infer_context.h"
#include "graph/ops/matrix_product.h"
#include "graph/ops/numbers.h"

// Scaled dot-product attention: softmax(softcap(scale * Q K^T) + mask) V, with heads of keys shared by heads of
// queries.

namespace hone {
namespace {

constexpr double kMasked = -std::numeric_limits<double>::infinity();

/// Number of heads of a tensor of rank 3, whose last dim holds all heads.
std::int64_t heads_attribute(const NodeReader& node, std::string_view name) {
  const std::int64_t heads = node.integer(name);
  if (heads < 1) node.fail("{} cannot be {}", name, heads);
  return heads;
}

/// [batch, heads, length, size] of queries, keys or values in either layout.
Shape by_head(const NodeReader& node, const Shape& shape, std::string_view heads_name) {
  if (shape.size() == 4) return shape;
  if (shape.size() != 3) node.fail("an input {} has neither three nor four dims", text_of(shape));
  const Dim heads = heads_attribute(node, heads_name);
  if (shape[2].known() && shape[2].value() % heads.value() != 0)
    node.fail("{} does not split into {} heads", text_of(shape), heads.value());
  return {shape[0], heads, shape[1], floor_div(shape[2], heads)};
}

void infer_attention(InferContext& context) {
  const ElementType element = context.element(0);
  for (std::size_t i = 0; i < 4; ++i)
    context.output(i, i == 1 ? context.element(1) : i == 2 ? context.element(2) : element);
  const Shape *q = context.shape(0), *k = context.shape(1), *v = context.shape(2);
  if (q == nullptr || k == nullptr || v == nullptr) return;
  const Shape queries = by_head(context, *q, "q_num_heads");
  Shape keys = by_head(context, *k, "kv_num_heads"), values = by_head(context, *v, "kv_num_heads");
  if (q->size() == 4) context.output(0, element, {queries[0], queries[1], queries[2], values[3]});
  else context.output(0, element, {queries[0], queries[2], queries[1] * values[3]});
  for (Shape* growing : {&keys, &values}) {
    if (!context.has_input(4)) continue;
    const Shape* past = context.shape(4);
    (*growing)[2] = past != nullptr && past->size() == 4 ? (*past)[2] + (*growing)[2] : Dim();
  }
  context.output(1, context.element(1), keys);
  context.output(2, context.element(2), values);
  context.output(3, element, {queries[0], queries[1], queries[2], keys[2]});
}

/// A tensor as [batch, heads, length, size], heads contiguous.
struct HeadTensor {
  Dims dims;
  std::vector<double> numbers;

  const double* head(std::int64_t batch, std::int64_t index) const {
    return numbers.data() + (batch * dims[1] + index) * dims[2] * dims[3];
  }
};

/// Reads an input into head order, behind what the optional `past` input already holds.
HeadTensor read_heads(const EvaluateContext& context, std::size_t input, std::size_t past,
                      std::string_view heads_name) {
  const Tensor& tensor = context.tensor(input);
  const Dims fresh = dims_of(by_head(context, tensor.shape(), heads_name));
  const Tensor* before = past != 0 && context.has_input(past) ? &context.tensor(past) : nullptr;
  if (before != nullptr &&
      (before->rank() != 4 || before->dim(0) != fresh[0] || before->dim(1) != fresh[1] || before->dim(3) != fresh[3]))
    context.fail("a past of {} does not fit {}", text_of(before->shape()), text_of(tensor.shape()));
  const std::int64_t old = before != nullptr ? before->dim(2) : 0;
  HeadTensor heads = {{fresh[0], fresh[1], old + fresh[2], fresh[3]}, {}};
  const Tensor nothing = Tensor::zeros(ElementType::float64, {0});
  const Numbers<double> numbers(tensor), remembered(before != nullptr ? *before : nothing);
  const bool split = tensor.rank() == 3;
  for (std::int64_t b = 0; b < fresh[0]; ++b)
    for (std::int64_t h = 0; h < fresh[1]; ++h) {
      const auto remembered_head = remembered.view().subspan(
          static_cast<std::size_t>((b * fresh[1] + h) * old * fresh[3]), static_cast<std::size_t>(old * fresh[3]));
      heads.numbers.insert(heads.numbers.end(), remembered_head.begin(), remembered_head.end());
      for (std::int64_t s = 0; s < fresh[2]; ++s) {
        const std::int64_t row = split ? (b * fresh[2] + s) * fresh[1] + h : (b * fresh[1] + h) * fresh[2] + s;
        const auto from =
            numbers.view().subspan(static_cast<std::size_t>(row * fresh[3]), static_cast<std::size_t>(fresh[3]));
        heads.numbers.insert(heads.numbers.end(), from.begin(), from.end());
      }
    }
  return heads;
}

/// What is added to the scores: the mask input, the causal rule and the padding of keys.
class ScoreBias {
 public:
  /// `dims` are those of the scores: [batch, heads, queries, keys].
  ScoreBias(const EvaluateContext& context, const Dims& dims) : dims_(dims) {
    causal_ = context.integer("is_causal") != 0;
    if (context.has_input(6)) lengths_ = context.tensor(6).integers();
    if (!lengths_.empty() && static_cast<std::int64_t>(lengths_.size()) != dims[0])
      context.fail("{} key lengths for a batch of {}", lengths_.size(), dims[0]);
    past_ = context.has_input(4) ? context.tensor(4).dim(2) : 0;
    if (!context.has_input(3)) return;
    const Tensor& mask = context.tensor(3);
    Dims covered = dims;
    // From opset 24 on a mask may stop before the last key; what it does not cover is masked.
    const bool shorter =
        mask.rank() > 0 && mask.dims().back() < dims[3] && (context.version() >= 24 || mask.dims().back() != 1);
    if (shorter) covered[3] = mask.dims().back();
    if (broadcast(context, covered, mask.dims()) != covered)
      context.fail("a mask {} does not fit the scores", text_of(mask.shape()));
    mask_keys_ = covered[3];
    strides_ = broadcast_strides(mask.dims(), covered);
    numbers_ = numbers_of(mask);
  }

  double operator()(std::int64_t batch, std::int64_t head, std::int64_t query, std::int64_t key) const {
    const std::int64_t length = lengths_.empty() ? dims_[3] : lengths_[static_cast<std::size_t>(batch)];
    if (key >= length) return kMasked;
    // Keys that came before the block of queries are all visible.
    const std::int64_t before = past_ > 0 || lengths_.empty() ? past_ : length - dims_[2];
    if (causal_ && key > query + before) return kMasked;
    if (strides_.empty()) return 0;
    if (key >= mask_keys_) return kMasked;
    return numbers_[static_cast<std::size_t>(batch * strides_[0] + head * strides_[1] + query * strides_[2] +
                                             key * strides_[3])];
  }

 private:
  /// A truth lets a key through; a number is added.
  static std::vector<double> numbers_of(const Tensor& mask) {
    const Numbers<double> given(mask);
    std::vector<double> numbers(given.view().begin(), given.view().end());
    if (mask.type() == ElementType::boolean)
      for (double& number : numbers) number = number != 0 ? 0 : kMasked;
    return numbers;
  }

  Dims dims_;
  Dims strides_;  // of the mask, empty without one
  std::vector<double> numbers_;
  std::vector<std::int64_t> lengths_;  // of the keys of each sample, empty when all count
  std::int64_t past_ = 0;
  std::int64_t mask_keys_ = 0;
  bool causal_ = false;
};

void masked_softmax(std::span<double> row) {
  double greatest = kMasked, sum = 0;
  for (const double x : row) greatest = std::max(greatest, x);
  for (double& x : row) sum += x = std::exp(x - greatest);
  for (double& x : row) x /= sum;
}

/// The stage of the scores that the fourth output shows.
enum class ScoreStage { product, capped, masked, softmax };

/// One attention being run.
class AttentionRun {
 public:
  explicit AttentionRun(EvaluateContext& context)
      : context_(context),
        queries_(read_heads(context, 0, 0, "q_num_heads")),
        keys_(read_heads(context, 1, 4, "kv_num_heads")),
        values_(read_heads(context, 2, 5, "kv_num_heads")),
        dims_({queries_.dims[0], queries_.dims[1], queries_.dims[2], keys_.dims[2]}) {
    const Dims &q = queries_.dims, &k = keys_.dims, &v = values_.dims;
    if (k[0] != q[0] || v[0] != q[0] || k[3] != q[3] || v[1] != k[1] || v[2] != k[2] || k[1] == 0 || q[1] % k[1] != 0)
      context.fail("queries, keys and values do not fit each other");
    const std::int64_t mode = context.integer("qk_matmul_output_mode");
    if (mode < 0 || mode > 3) context.fail("qk_matmul_output_mode cannot be {}", mode);
    shown_stage_ = static_cast<ScoreStage>(mode);
    scale_ = context.has_attribute("scale") ? context.number("scale") : 1 / std::sqrt(static_cast<double>(q[3]));
  }

  void run() {
    const ScoreBias bias(context_, dims_);
    const std::int64_t sharing = queries_.dims[1] / keys_.dims[1];
    for (std::int64_t b = 0; b < dims_[0]; ++b)
      for (std::int64_t h = 0; h < dims_[1]; ++h) {
        std::vector<double> scores = products(b, h, h / sharing);
        show(ScoreStage::product, scores);
        cap(scores);
        show(ScoreStage::capped, scores);
        for (std::int64_t i = 0; i < static_cast<std::int64_t>(scores.size()); ++i)
          scores[static_cast<std::size_t>(i)] += bias(b, h, i / dims_[3], i % dims_[3]);
        show(ScoreStage::masked, scores);
        for (std::int64_t query = 0; query < dims_[2]; ++query)
          masked_softmax(std::span(scores).subspan(static_cast<std::size_t>(query * dims_[3]),
                                                   static_cast<std::size_t>(dims_[3])));
        show(ScoreStage::softmax, scores);
        weigh(scores, b, h / sharing);
      }
    output_all();
  }

 private:
  std::vector<double> products(std::int64_t batch, std::int64_t head, std::int64_t key_head) const {
    std::vector<double> scores(static_cast<std::size_t>(dims_[2] * dims_[3]));
    const std::int64_t size = queries_.dims[3];
    matrix_product<double>({dims_[2], size, dims_[3]}, {queries_.head(batch, head), size},
                           {keys_.head(batch, key_head), 1, size}, {scores.data(), dims_[3]});
    for (double& score : scores) score *= scale_;
    return scores;
  }

  void cap(std::vector<double>& scores) const {
    const double bound = context_.number("softcap");
    if (bound > 0)
      for (double& score : scores) score = bound * std::tanh(score / bound);
  }

  void show(ScoreStage stage, const std::vector<double>& scores) {
    if (stage == shown_stage_ && context_.wants_output(3)) shown_.insert(shown_.end(), scores.begin(), scores.end());
  }

  /// Adds one head of the result: the values, weighed by the scores.
  void weigh(const std::vector<double>& scores, std::int64_t batch, std::int64_t value_head) {
    const std::int64_t size = values_.dims[3];
    std::vector<double> head(static_cast<std::size_t>(dims_[2] * size));
    matrix_product<double>({dims_[2], dims_[3], size}, {scores.data(), dims_[3]},
                           {values_.head(batch, value_head), size}, {head.data(), size});
    result_.insert(result_.end(), head.begin(), head.end());
  }

  void output_all() {
    const ElementType type = context_.tensor(0).type();
    const std::int64_t batch = dims_[0], heads = dims_[1], length = dims_[2], size = values_.dims[3];
    if (context_.tensor(0).rank() == 4) {
      context_.output(0, tensor_of(type, {batch, heads, length, size}, result_));
    } else {
      const Dims order = {batch, length, heads, size}, strides = {heads * length * size, size, length * size, 1};
      std::vector<double> joined(result_.size());
      for (StridedWalk walk(order, {&strides}); !walk.done(); walk.next())
        joined[walk.position()] = result_[walk.offset(0)];
      context_.output(0, tensor_of(type, {batch, length, heads * size}, joined));
    }
    if (context_.wants_output(1)) context_.output(1, tensor_of(context_.tensor(1).type(), keys_.dims, keys_.numbers));
    if (context_.wants_output(2))
      context_.output(2, tensor_of(context_.tensor(2).type(), values_.dims, values_.numbers));
    if (context_.wants_output(3)) context_.output(3, tensor_of(type, dims_, shown_));
  }

  EvaluateContext& context_;
  HeadTensor queries_, keys_, values_;
  Dims dims_;  // of the scores
  ScoreStage shown_stage_;
  double scale_ = 1;
  std::vector<double> result_, shown_;
};

void evaluate_attention(EvaluateContext& context) { AttentionRun(context).run(); }

/// Two products, and about eight operations a score.
double attention_flops(const CostContext& context) {
  const bool split = context.input(0).shape.size() == 3;
  const double heads = split ? static_cast<double>(context.integer("q_num_heads")) : context.input_dim(0, 1);
  const double key_heads = split ? static_cast<double>(context.integer("kv_num_heads")) : 1;
  const double past = context.has_input(4) ? context.input_dim(4, 2) : 0;
  const double scores = context.input_dim(0, 0) * heads * context.input_dim(0, -2) * (context.input_dim(1, -2) + past);
  const double size = context.input_dim(1, -1) / key_heads, value_size = context.input_dim(2, -1) / key_heads;
  return scores * (2 * size + 2 * value_size + 8);
}

// clang-format off
const OpFamily attention_family({
    {.name = "Attention", .versions = {23, 24}, .inputs = {3, 7}, .outputs = {1, 4},
     .attributes = {integer("is_causal", 0), integer("kv_num_heads"), integer("q_num_heads"),
                    integer("qk_matmul_output_mode", 0),
                    number("scale"), number("softcap", 0), integer("softmax_precision")},
     .kind = OpKind::contraction, .infer = infer_attention, .evaluate = evaluate_attention, .flops = attention_flops},
});
// clang-format on

}  // namespace
}  // namespace hone

#include <algorithm>
#include <cmath>
#include <map>

#include "graph/ops/copy.h"
#include "graph/ops/cost_context.h"
#include "graph/ops/evaluate_context.h"
#include "graph/ops/family.h"
#include "graph/ops/infer_context.h"
#include "graph/ops/real_array.h"
#include "graph/ops/tensor_pieces.h"

// Features and linear models of ai.onnx.ml.

namespace hone {
namespace {

constexpr std::string_view kMlDomain = "ai.onnx.ml";

/// The input's shape with elements of another type.
void infer_with_element(InferContext& context, std::size_t output, ElementType element) {
  Type type = context.type(0).is_tensor() ? context.type(0) : Type::tensor(element);
  type.element = element;
  context.output(output, std::move(type));
}

void infer_as_float(InferContext& context) { infer_with_element(context, 0, ElementType::float32); }

/// Length of the last axis, the features; 1 for a scalar.
std::size_t feature_count(const RealArray& numbers) {
  return numbers.rank() == 0 ? 1 : static_cast<std::size_t>(numbers.dims.back());
}

/// The number for a feature from a list with one for all, or one for each.
float for_feature(const NodeReader& node, const std::vector<float>& list, std::size_t feature, std::size_t features) {
  if (list.size() != 1 && list.size() != features) node.fail("{} numbers for {} features", list.size(), features);
  return list[list.size() == 1 ? 0 : feature];
}

// ArrayFeatureExtractor: picks columns of the last axis
// ------------------------------------------------------------------

void infer_extractor(InferContext& context) {
  const Shape *x = context.shape(0), *indices = context.shape(1);
  if (x == nullptr) return context.output(0, context.element(0));
  const Dim count = indices != nullptr ? element_count(*indices) : Dim();
  Shape shape = *x;
  if (shape.empty()) context.fail("the input is a scalar");
  shape.back() = count;
  if (shape.size() == 1) shape.insert(0, 1);
  context.output(0, context.element(0), shape);
}

void evaluate_extractor(EvaluateContext& context) {
  const Tensor& x = context.tensor(0);
  const Tensor indices = context.tensor(1).reshaped({static_cast<std::int64_t>(context.tensor(1).count())});
  if (x.rank() == 0) context.fail("the input is a scalar");
  Dims dims = x.dims();
  const std::int64_t columns = dims.back();
  std::vector<std::int64_t> sources;
  const std::int64_t rows = columns == 0 ? 0 : static_cast<std::int64_t>(x.count()) / columns;
  for (std::int64_t row = 0; row < rows; ++row)
    for (const std::int64_t index : indices.integers()) {
      if (index < 0 || index >= columns) context.fail("there is no column {} among {}", index, columns);
      sources.push_back(row * columns + index);
    }
  dims.back() = indices.dim(0);
  if (dims.size() == 1) dims.insert(0, 1);
  context.output(0, pick_runs(x, dims, sources));
}

// Pointwise features
// -------------------------------------------------------------------------------------------------------

void evaluate_binarizer(EvaluateContext& context) {
  const double threshold = context.number("threshold");
  RealArray numbers = RealArray::of(context.tensor(0));
  for (double& value : numbers.values) value = value > threshold ? 1 : 0;
  context.output(0, numbers.rounded(context.tensor(0).type()));
}

void evaluate_scaler(EvaluateContext& context) {
  RealArray numbers = RealArray::of(context.tensor(0));
  const std::vector<float> offsets = context.numbers("offset"), scales = context.numbers("scale");
  const std::size_t features = feature_count(numbers);
  for (std::size_t i = 0; i < numbers.count(); ++i)
    numbers.values[i] = (numbers.values[i] - for_feature(context, offsets, i % features, features)) *
                        for_feature(context, scales, i % features, features);
  context.output(0, numbers.rounded(ElementType::float32));
}

/// Replaces one number (or what is no number) by a value given for each feature or for all.
void evaluate_imputer(EvaluateContext& context) {
  RealArray numbers = RealArray::of(context.tensor(0));
  const bool whole = is_integer(context.tensor(0).type());
  std::vector<float> imputed = context.numbers("imputed_value_floats");
  if (whole)
    for (const std::int64_t value : context.integers("imputed_value_int64s"))
      imputed.push_back(static_cast<float>(value));
  const double replaced =
      whole ? static_cast<double>(context.integer("replaced_value_int64")) : context.number("replaced_value_float");
  const std::size_t features = feature_count(numbers);
  for (std::size_t i = 0; i < numbers.count(); ++i) {
    const double value = numbers.values[i];
    if (value == replaced || (std::isnan(value) && std::isnan(replaced)))
      numbers.values[i] = for_feature(context, imputed, i % features, features);
  }
  context.output(0, numbers.rounded(context.tensor(0).type()));
}

/// Divides every row by its greatest, absolute or squared sum.
void evaluate_normalizer(EvaluateContext& context) {
  RealArray numbers = RealArray::of(context.tensor(0));
  const std::string& norm = context.text("norm");
  if (norm != "MAX" && norm != "L1" && norm != "L2") context.fail("norm '{}' is not known", norm);
  const std::size_t features = feature_count(numbers);
  for (std::size_t first = 0; first < numbers.count(); first += features) {
    const std::span<double> row = std::span(numbers.values).subspan(first, features);
    double size = norm == "MAX" ? *std::ranges::max_element(row) : 0;
    if (norm == "L1")
      for (const double value : row) size += std::abs(value);
    if (norm == "L2") {
      for (const double value : row) size += value * value;
      size = std::sqrt(size);
    }
    if (size != 0)
      for (double& value : row) value /= size;
  }
  context.output(0, numbers.rounded(ElementType::float32));
}

// LabelEncoder: keys to values, each strings, integers or floats
// -------------------------------------------------------------

/// A list of keys or values from the first attribute of the node that has one, as a tensor.
Tensor label_list(const NodeReader& node, std::string_view what) {
  const std::string prefix(what);
  if (node.has_attribute(prefix + "_tensor")) return node.tensor_attribute(prefix + "_tensor");
  if (node.has_attribute(prefix + "_strings")) {
    const std::vector<std::string> list = node.texts(prefix + "_strings");
    return Tensor::of<std::string>(list, {std::ssize(list)});
  }
  if (node.has_attribute(prefix + "_int64s")) return Tensor::vector(node.integers(prefix + "_int64s"));
  if (node.has_attribute(prefix + "_floats")) {
    const std::vector<float> list = node.numbers(prefix + "_floats");
    return Tensor::of<float>(list, {std::ssize(list)});
  }
  node.fail("has no {}", what);
}

/// Element type of the encoded labels.
ElementType encoded_type(const NodeReader& node, ElementType input) {
  if (node.version() == 1) return input == ElementType::string ? ElementType::int64 : ElementType::string;
  return label_list(node, "values").type();
}

void infer_encoder(InferContext& context) {
  if (context.element(0) != ElementType::undefined || context.version() > 1)
    infer_with_element(context, 0, encoded_type(context, context.element(0)));
}

/// Keys and values of the node, in version 1 the classes and their places.
struct LabelMap {
  Tensor keys;
  Tensor values;
};

LabelMap label_map(const NodeReader& node, ElementType input) {
  if (node.version() > 1) return {label_list(node, "keys"), label_list(node, "values")};
  const std::vector<std::string> classes = node.texts("classes_strings");
  std::vector<std::int64_t> places(classes.size());
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<std::int64_t>(i);
  const Tensor names = Tensor::of<std::string>(classes, {std::ssize(classes)}), numbers = Tensor::vector(places);
  return input == ElementType::string ? LabelMap{names, numbers} : LabelMap{numbers, names};
}

/// What a label without an entry becomes.
Tensor default_label(const NodeReader& node, ElementType type) {
  if (node.has_attribute("default_tensor")) return node.tensor_attribute("default_tensor");
  if (type == ElementType::string) return Tensor::scalar(node.text("default_string"));
  if (type == ElementType::int64) return Tensor::scalar(node.integer("default_int64"));
  return Tensor::scalar(node.number("default_float"));
}

/// A label in a form that all element types share.
std::string label_text(const Tensor& labels, std::size_t i) {
  if (labels.type() == ElementType::string) return labels.strings()[i];
  if (is_integer(labels.type())) return fmt::format("{}", labels.integer_at(i));
  return fmt::format("{}", labels.number_at(i) + 0.0);  // minus zero is zero
}

void evaluate_encoder(EvaluateContext& context) {
  const Tensor& input = context.tensor(0);
  const LabelMap map = label_map(context, input.type());
  if (map.keys.type() != input.type() || map.keys.count() != map.values.count())
    context.fail("{} keys of {} for {} values and labels of {}", map.keys.count(), name_of(map.keys.type()),
                 map.values.count(), name_of(input.type()));
  const Tensor fallback = default_label(context, map.values.type());
  if (fallback.count() != 1 || fallback.type() != map.values.type())
    context.fail("the default has another type than the values");
  const Tensor parts[] = {map.values.reshaped({static_cast<std::int64_t>(map.values.count())}), fallback.reshaped({1})};
  const Tensor choices = join_along(context, parts, 0);
  std::map<std::string, std::int64_t> places;
  for (std::size_t i = 0; i < map.keys.count(); ++i)
    places.emplace(label_text(map.keys, i), static_cast<std::int64_t>(i));
  std::vector<std::int64_t> sources;
  for (std::size_t i = 0; i < input.count(); ++i) {
    const auto found = places.find(label_text(input, i));
    sources.push_back(found != places.end() ? found->second : static_cast<std::int64_t>(map.values.count()));
  }
  context.output(0, pick_runs(choices, input.dims(), sources));
}

// Linear models
// ----------------------------------------------------------------------------------------------------------

/// Rows of the input: [rows, features].
Dim row_count(const InferContext& context) {
  const Shape* x = context.shape(0);
  return x == nullptr || x->empty() ? Dim() : x->size() == 1 ? Dim(1) : (*x)[0];
}

/// x * coefficients^T + intercepts, one column a row of coefficients.
RealArray linear_scores(const EvaluateContext& context, std::int64_t columns) {
  const RealArray x = RealArray::of(context.tensor(0));
  const std::vector<float> coefficients = context.numbers("coefficients"), intercepts = context.numbers("intercepts");
  if (x.rank() < 1 || x.rank() > 2) context.fail("the input has rank {}, takes 1 or 2", x.rank());
  const std::int64_t features = x.dims.back(), rows = x.rank() == 2 ? x.dim(0) : 1;
  if (columns < 1 || std::ssize(coefficients) != columns * features)
    context.fail("{} coefficients for {} features", coefficients.size(), features);
  if (!intercepts.empty() && std::ssize(intercepts) != columns)
    context.fail("{} intercepts for {} columns", intercepts.size(), columns);
  RealArray scores(Dims{rows, columns});
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t column = 0; column < columns; ++column) {
      double& score = scores.values[static_cast<std::size_t>(row * columns + column)];
      if (!intercepts.empty()) score = intercepts[static_cast<std::size_t>(column)];
      for (std::int64_t k = 0; k < features; ++k)
        score += x.values[static_cast<std::size_t>(row * features + k)] *
                 coefficients[static_cast<std::size_t>(column * features + k)];
    }
  return scores;
}

/// Applies post_transform to rows of scores.
void transform_scores(const NodeReader& node, RealArray& scores) {
  const std::string& transform = node.text("post_transform");
  const auto width = static_cast<std::size_t>(scores.dims.back());
  if (transform == "SOFTMAX") {
    for (std::size_t first = 0; first < scores.count(); first += width)
      softmax(std::span(scores.values).subspan(first, width));
  } else if (transform == "LOGISTIC") {
    for (double& score : scores.values) score = 1 / (1 + std::exp(-score));
  } else if (transform != "NONE") {
    node.fail("post_transform '{}' is not supported", transform);
  }
}

void infer_regressor(InferContext& context) {
  context.output(0, ElementType::float32, {row_count(context), context.integer("targets")});
}

void evaluate_regressor(EvaluateContext& context) {
  RealArray scores = linear_scores(context, context.integer("targets"));
  transform_scores(context, scores);
  context.output(0, scores.rounded(ElementType::float32));
}

Tensor class_labels(const NodeReader& node) {
  const std::vector<std::string> names = node.texts("classlabels_strings");
  return names.empty() ? Tensor::vector(node.integers("classlabels_ints"))
                       : Tensor::of<std::string>(names, {std::ssize(names)});
}

void infer_classifier(InferContext& context) {
  const Tensor labels = class_labels(context);
  context.output(0, labels.type(), {row_count(context)});
  context.output(1, ElementType::float32, {row_count(context), labels.dim(0)});
}

/// A single row of coefficients scores the second of two classes; the first has the opposite score.
RealArray with_opposites(const RealArray& scores, double total) {
  RealArray both(Dims{scores.dim(0), 2});
  for (std::size_t row = 0; row < scores.count(); ++row) {
    both.values[2 * row] = total - scores.values[row];
    both.values[2 * row + 1] = scores.values[row];
  }
  return both;
}

void evaluate_classifier(EvaluateContext& context) {
  const Tensor labels = class_labels(context);
  const Tensor& x = context.tensor(0);
  const std::int64_t features = x.rank() == 0 || x.dims().back() == 0 ? 1 : x.dims().back();
  const std::int64_t columns = std::ssize(context.numbers("coefficients")) / features;
  RealArray scores = linear_scores(context, columns);
  transform_scores(context, scores);
  if (columns == 1 && labels.dim(0) == 2)
    scores = with_opposites(scores, context.text("post_transform") == "NONE" ? 0 : 1);
  const std::int64_t width = scores.dims.back();
  if (width != labels.dim(0)) context.fail("{} scores for {} classes", width, labels.dim(0));
  std::vector<std::int64_t> chosen;
  for (std::int64_t row = 0; row < scores.dim(0); ++row) {
    const auto first = scores.values.begin() + row * width;
    chosen.push_back(std::max_element(first, first + width) - first);
  }
  context.output(0, pick_runs(labels, {scores.dim(0)}, chosen));
  context.output(1, scores.rounded(ElementType::float32));
}

double linear_flops(const CostContext& context) {
  return 2 * context.input_dim(0, 0) * static_cast<double>(context.numbers("coefficients").size());
}

std::vector<AttributeSpec> encoder_attributes() {
  std::vector<AttributeSpec> attributes = {texts("classes_strings").until(2), integer("default_int64", -1),
                                           text("default_string", "_Unused"), number("default_float", -0.0f).since(2)};
  for (const std::string_view name : {"keys_floats", "values_floats"}) attributes.push_back(numbers(name).since(2));
  for (const std::string_view name : {"keys_int64s", "values_int64s"}) attributes.push_back(integers(name).since(2));
  for (const std::string_view name : {"keys_strings", "values_strings"}) attributes.push_back(texts(name).since(2));
  for (const std::string_view name : {"keys_tensor", "values_tensor", "default_tensor"})
    attributes.push_back(tensor(name).since(4));
  return attributes;
}

// clang-format off
const OpFamily machine_learning_family({
    {.name = "ArrayFeatureExtractor", .domain = kMlDomain, .versions = {1}, .inputs = {2, 2}, .kind = OpKind::movement,
     .infer = infer_extractor, .evaluate = evaluate_extractor},
    {.name = "Binarizer", .domain = kMlDomain, .versions = {1}, .attributes = {number("threshold", 0.0f)},
     .kind = OpKind::pointwise, .infer = infer_like_first, .evaluate = evaluate_binarizer},
    {.name = "Scaler", .domain = kMlDomain, .versions = {1}, .attributes = {numbers("offset"), numbers("scale")},
     .kind = OpKind::pointwise, .infer = infer_as_float, .evaluate = evaluate_scaler},
    {.name = "Imputer", .domain = kMlDomain, .versions = {1},
     .attributes = {numbers("imputed_value_floats"), integers("imputed_value_int64s"),
                    number("replaced_value_float", 0.0f), integer("replaced_value_int64", 0)},
     .kind = OpKind::pointwise, .infer = infer_like_first, .evaluate = evaluate_imputer},
    {.name = "Normalizer", .domain = kMlDomain, .versions = {1}, .attributes = {text("norm", "MAX")},
     .kind = OpKind::reduction, .infer = infer_as_float, .evaluate = evaluate_normalizer},
    {.name = "LabelEncoder", .domain = kMlDomain, .versions = {1, 2, 4}, .attributes = encoder_attributes(),
     .kind = OpKind::opaque, .infer = infer_encoder, .evaluate = evaluate_encoder},
    {.name = "LinearRegressor", .domain = kMlDomain, .versions = {1},
     .attributes = {numbers("coefficients"), numbers("intercepts"), text("post_transform", "NONE"), integer("targets", 1)},
     .kind = OpKind::contraction, .infer = infer_regressor, .evaluate = evaluate_regressor, .flops = linear_flops},
    {.name = "LinearClassifier", .domain = kMlDomain, .versions = {1}, .outputs = {1, 2},
     .attributes = {numbers("coefficients"), numbers("intercepts"), integers("classlabels_ints"), texts("classlabels_strings"),
                    integer("multi_class", 0), text("post_transform", "NONE")},
     .kind = OpKind::contraction, .infer = infer_classifier, .evaluate = evaluate_classifier, .flops = linear_flops},
});
// clang-format on

}  // namespace
}  // namespace hone

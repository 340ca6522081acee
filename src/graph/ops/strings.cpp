#include <re2/re2.h>

#include <algorithm>
#include <unordered_set>

#include "graph/ops/axes.h"
#include "graph/ops/evaluate_context.h"
#include "graph/ops/family.h"
#include "graph/ops/infer_context.h"

// Operators on tensors of strings.

namespace hone {
namespace {

// StringNormalizer: drops stop words, changes the case ----------------------------------------------------------------

enum class CaseChange { none, lower, upper };

CaseChange case_change(const NodeReader& node) {
  const std::string& given = node.text("case_change_action");
  if (given == "NONE") return CaseChange::none;
  if (given == "LOWER") return CaseChange::lower;
  if (given == "UPPER") return CaseChange::upper;
  node.fail("case_change_action '{}' is not known", given);
}

std::string with_case(const NodeReader& node, std::string text, CaseChange change) {
  if (change == CaseChange::none) return text;
  for (char& c : text) {
    if (static_cast<unsigned char>(c) >= 0x80)
      node.fail("the case of '{}' depends on a locale, which is not supported", text);
    if (change == CaseChange::lower && c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (change == CaseChange::upper && c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return text;
}

void infer_normalizer(InferContext& context) {
  const Shape* input = context.shape(0);
  if (input == nullptr) return context.output(0, ElementType::string);
  if (input->empty() || input->size() > 2) context.fail("the input has rank {}, takes 1 or 2", input->size());
  Shape shape = *input;
  // Without stop words nothing goes, but an empty input still gives one empty string.
  if (context.texts("stopwords").empty()) shape.back() = maximum(shape.back(), 1);
  else shape.back() = Dim();
  context.output(0, ElementType::string, shape);
}

void evaluate_string_normalizer(EvaluateContext& context) {
  const Tensor& input = context.tensor(0);
  if (input.rank() < 1 || input.rank() > 2 || (input.rank() == 2 && input.dim(0) != 1))
    context.fail("the input is {}, takes [C] or [1,C]", text_of(input.shape()));
  const CaseChange change = case_change(context);
  const CaseChange compared = context.integer("is_case_sensitive") != 0 ? CaseChange::none : CaseChange::lower;
  std::unordered_set<std::string> stopped;
  for (const std::string& word : context.texts("stopwords")) stopped.insert(with_case(context, word, compared));
  std::vector<std::string> kept;
  for (const std::string& word : input.values<std::string>())
    if (stopped.empty() || !stopped.contains(with_case(context, word, compared)))
      kept.push_back(with_case(context, word, change));
  if (kept.empty()) kept.emplace_back();
  Dims dims = input.dims();
  dims.back() = std::ssize(kept);
  context.output(0, Tensor::of<std::string>(kept, dims));
}

// StringConcat -------------------------------------------------------------------------------------------------------

void infer_string_concat(InferContext& context) {
  if (context.shape(0) == nullptr || context.shape(1) == nullptr) return context.output(0, ElementType::string);
  context.output(0, ElementType::string, broadcast(context, *context.shape(0), *context.shape(1)));
}

void evaluate_string_concat(EvaluateContext& context) {
  const Tensor &a = context.tensor(0), &b = context.tensor(1);
  const Dims dims = broadcast(context, a.dims(), b.dims());
  const Dims a_strides = broadcast_strides(a.dims(), dims), b_strides = broadcast_strides(b.dims(), dims);
  Tensor result = Tensor::zeros(ElementType::string, dims);
  const auto left = a.values<std::string>(), right = b.values<std::string>();
  const auto out = result.write<std::string>();
  for (StridedWalk walk(dims, {&a_strides, &b_strides}); !walk.done(); walk.next())
    out[walk.position()] = left[walk.offset(0)] + right[walk.offset(1)];
  context.output(0, std::move(result));
}

// StringSplit: outputs the pieces, filled up with empty strings, and how many there are
// --------------------------------

constexpr std::string_view kSpaces = " \t\n\r\f\v";

std::vector<std::string> split_at_spaces(std::string_view text, std::size_t most) {
  std::vector<std::string> pieces;
  for (std::size_t start = text.find_first_not_of(kSpaces); start != std::string_view::npos;) {
    std::size_t end = text.find_first_of(kSpaces, start);
    if (pieces.size() == most) end = text.find_last_not_of(kSpaces) + 1;
    pieces.emplace_back(text.substr(start, end - start));
    start = end == std::string_view::npos || pieces.size() > most ? std::string_view::npos
                                                                  : text.find_first_not_of(kSpaces, end);
  }
  return pieces;
}

std::vector<std::string> split_at(std::string_view text, std::string_view delimiter, std::size_t most) {
  if (delimiter.empty()) return split_at_spaces(text, most);
  std::vector<std::string> pieces;
  std::size_t start = 0;
  for (std::size_t end; pieces.size() < most && (end = text.find(delimiter, start)) != std::string_view::npos;) {
    pieces.emplace_back(text.substr(start, end - start));
    start = end + delimiter.size();
  }
  pieces.emplace_back(text.substr(start));
  return pieces;
}

void infer_string_split(InferContext& context) {
  if (context.shape(0) == nullptr) {
    context.output(0, ElementType::string);
    context.output(1, ElementType::int64);
    return;
  }
  Shape shape = *context.shape(0);
  context.output(1, ElementType::int64, shape);
  shape.push_back(Dim());
  context.output(0, ElementType::string, shape);
}

void evaluate_string_split(EvaluateContext& context) {
  const Tensor& input = context.tensor(0);
  const std::int64_t limit = context.has_attribute("maxsplit") ? context.integer("maxsplit") : -1;
  const std::size_t most = limit < 0 ? SIZE_MAX : static_cast<std::size_t>(limit);
  std::vector<std::vector<std::string>> pieces;
  std::size_t width = 0;
  for (const std::string& text : input.values<std::string>()) {
    pieces.push_back(split_at(text, context.text("delimiter"), most));
    width = std::max(width, pieces.back().size());
  }
  Dims dims = input.dims();
  Tensor counts = Tensor::zeros(ElementType::int64, dims);
  dims.push_back(static_cast<std::int64_t>(width));
  Tensor parts = Tensor::zeros(ElementType::string, dims);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    counts.write<std::int64_t>()[i] = std::ssize(pieces[i]);
    std::ranges::move(pieces[i], parts.write<std::string>().begin() + static_cast<std::ptrdiff_t>(i * width));
  }
  context.output(0, std::move(parts));
  context.output(1, std::move(counts));
}

// RegexFullMatch -----------------------------------------------------------------------------------------------------

void infer_match(InferContext& context) {
  if (context.shape(0) == nullptr) return context.output(0, ElementType::boolean);
  context.output(0, ElementType::boolean, *context.shape(0));
}

void evaluate_match(EvaluateContext& context) {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(std::int64_t{8} << 20);  // patterns come with the model: one may ask for as much as it likes
  const RE2 pattern(context.text("pattern"), options);
  if (!pattern.ok()) context.fail("pattern '{}' cannot be used: {}", pattern.pattern(), pattern.error());
  Tensor result = Tensor::zeros(ElementType::boolean, context.tensor(0).dims());
  const auto out = result.write<bool>();
  const auto texts = context.tensor(0).values<std::string>();
  for (std::size_t i = 0; i < texts.size(); ++i) out[i] = RE2::FullMatch(texts[i], pattern);
  context.output(0, std::move(result));
}

// clang-format off
const OpFamily strings_family({
    {.name = "StringNormalizer", .versions = {10},
     .attributes = {text("case_change_action", "NONE"), integer("is_case_sensitive", 0), text("locale"), texts("stopwords")},
     .infer = infer_normalizer, .evaluate = evaluate_string_normalizer},
    {.name = "StringConcat", .versions = {20}, .inputs = {2, 2}, .infer = infer_string_concat, .evaluate = evaluate_string_concat},
    {.name = "StringSplit", .versions = {20}, .outputs = {2, 2},
     .attributes = {text("delimiter", ""), integer("maxsplit")}, .infer = infer_string_split, .evaluate = evaluate_string_split},
    {.name = "RegexFullMatch", .versions = {20}, .attributes = {text("pattern")},
     .infer = infer_match, .evaluate = evaluate_match},
});
// clang-format on

}  // namespace
}  // namespace hone

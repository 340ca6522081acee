#include <algorithm>
#include <map>

#include "graph/ops/evaluate_context.h"
#include "graph/ops/family.h"
#include "graph/ops/infer_context.h"

// TfIdfVectorizer: counts how often the n-grams of a pool occur in the rows of its input.

namespace hone {
namespace {

/// An n-gram of the pool: where its count goes and how it weighs.
struct Gram {
  std::size_t column = 0;
  float weight = 1;
};

template <class T>
using Pool = std::map<std::vector<T>, Gram>;

std::int64_t column_count(const NodeReader& node) {
  constexpr std::int64_t kMaxColumns = std::int64_t{1} << 24;
  std::int64_t columns = 0;
  for (const std::int64_t column : node.integers("ngram_indexes")) {
    if (column < 0 || column >= kMaxColumns) node.fail("ngram_indexes holds {}", column);
    columns = std::max(columns, column + 1);
  }
  return columns;
}

/// The pool lists all 1-grams, then all 2-grams and so on; `ngram_counts` says where each length begins.
template <class T>
Pool<T> pool_of(const NodeReader& node, std::span<const T> words) {
  const std::vector<std::int64_t> starts = node.integers("ngram_counts"), columns = node.integers("ngram_indexes");
  const std::vector<float> weights = node.numbers("weights");
  if (!weights.empty() && weights.size() != columns.size())
    node.fail("{} weights for {} n-grams", weights.size(), columns.size());
  Pool<T> pool;
  std::size_t index = 0;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const std::int64_t end = i + 1 < starts.size() ? starts[i + 1] : std::ssize(words);
    const auto length = static_cast<std::int64_t>(i + 1);
    if (starts[i] < 0 || end < starts[i] || end > std::ssize(words) || (end - starts[i]) % length != 0)
      node.fail("ngram_counts do not fit a pool of {}", words.size());
    for (std::int64_t first = starts[i]; first < end; first += length, ++index) {
      if (index >= columns.size()) node.fail("the pool has more n-grams than the {} of ngram_indexes", columns.size());
      const auto gram = words.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(length));
      pool[std::vector<T>(gram.begin(), gram.end())] = {.column = static_cast<std::size_t>(columns[index]),
                                                        .weight = weights.empty() ? 1.0f : weights[index]};
    }
  }
  return pool;
}

struct GramLengths {
  std::int64_t least = 1;
  std::int64_t most = 1;
  std::int64_t skips = 0;  // most words left out between two of a gram
};

GramLengths lengths_of(const NodeReader& node) {
  const GramLengths lengths{.least = node.integer("min_gram_length"),
                            .most = node.integer("max_gram_length"),
                            .skips = node.integer("max_skip_count")};
  if (lengths.least < 1 || lengths.most < lengths.least || lengths.skips < 0)
    node.fail("the n-gram lengths make no range");
  return lengths;
}

/// Calls `found(gram)` for every n-gram of the pool in the row, for every way of skipping words evenly.
template <class T, class Found>
void find_grams(std::span<const T> row, const GramLengths& lengths, const Pool<T>& pool, Found&& found) {
  const std::int64_t width = std::ssize(row);
  for (std::int64_t length = lengths.least; length <= std::min(lengths.most, width); ++length) {
    const std::int64_t last_step = length == 1 ? 1 : std::min(lengths.skips, width) + 1;
    for (std::int64_t step = 1; step <= last_step; ++step) {
      std::vector<T> gram(static_cast<std::size_t>(length));
      for (std::int64_t first = 0; first + (length - 1) * step < width; ++first) {
        for (std::int64_t i = 0; i < length; ++i)
          gram[static_cast<std::size_t>(i)] = row[static_cast<std::size_t>(first + i * step)];
        if (const auto it = pool.find(gram); it != pool.end()) found(it->second);
      }
    }
  }
}

enum class Mode { frequency, weight, weighted_frequency };

Mode mode_of(const NodeReader& node) {
  const std::string& mode = node.text("mode");
  if (mode == "TF") return Mode::frequency;
  if (mode == "IDF") return Mode::weight;
  if (mode == "TFIDF") return Mode::weighted_frequency;
  node.fail("mode '{}' is not known", mode);
}

/// Writes one output row per row of words.
template <class T>
void count_grams(const EvaluateContext& context, std::span<const T> words, const Pool<T>& pool, Tensor& result) {
  const GramLengths lengths = lengths_of(context);
  const Mode mode = mode_of(context);
  const auto columns = static_cast<std::size_t>(result.dims().back());
  const auto out = result.write<float>();
  const std::size_t rows = columns == 0 ? 0 : out.size() / columns;
  const std::size_t width = rows == 0 ? 0 : words.size() / rows;
  for (std::size_t row = 0; row < rows; ++row) {
    const std::span<float> target = out.subspan(row * columns, columns);
    find_grams<T>(words.subspan(row * width, width), lengths, pool, [&](const Gram& gram) {
      float& cell = target[gram.column];
      if (mode == Mode::frequency) cell += 1;
      else if (mode == Mode::weight) cell = gram.weight;
      else cell += gram.weight;
    });
  }
}

void infer_vectorizer(InferContext& context) {
  const Shape* input = context.shape(0);
  if (input == nullptr) return context.output(0, ElementType::float32);
  if (input->empty() || input->size() > 2) context.fail("the input has rank {}, takes 1 or 2", input->size());
  Shape shape = *input;
  shape.back() = column_count(context);
  context.output(0, ElementType::float32, shape);
}

void evaluate_vectorizer(EvaluateContext& context) {
  const Tensor& input = context.tensor(0);
  if (input.rank() < 1 || input.rank() > 2) context.fail("the input has rank {}, takes 1 or 2", input.rank());
  Dims dims = input.dims();
  dims.back() = column_count(context);
  Tensor result = Tensor::zeros(ElementType::float32, dims);
  if (input.type() == ElementType::string) {
    const std::vector<std::string> words = context.texts("pool_strings");
    count_grams<std::string>(context, input.values<std::string>(), pool_of<std::string>(context, words), result);
  } else {
    const std::vector<std::int64_t> numbers = input.integers(), words = context.integers("pool_int64s");
    count_grams<std::int64_t>(context, numbers, pool_of<std::int64_t>(context, words), result);
  }
  context.output(0, std::move(result));
}

// clang-format off
const OpFamily ngrams_family({
    {.name = "TfIdfVectorizer", .versions = {9},
     .attributes = {integer("max_gram_length"), integer("max_skip_count"), integer("min_gram_length"), text("mode"),
                    integers("ngram_counts"), integers("ngram_indexes"), integers("pool_int64s"), texts("pool_strings"),
                    numbers("weights")},
     .infer = infer_vectorizer, .evaluate = evaluate_vectorizer},
});
// clang-format on

}  // namespace
}  // namespace hone

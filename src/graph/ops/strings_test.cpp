#include "graph/ops/one_node_test.h"

namespace hone {
namespace {

Tensor words(std::vector<std::string> list, Dims dims) { return Tensor::of<std::string>(list, std::move(dims)); }

TEST(StringNormalizerTest, StopsWordsWhateverTheirCase) {
  const OneNode node{.op = "StringNormalizer",
                     .attributes = {{.name = "stopwords", .value = std::vector<std::string>{"monday"}},
                                    {.name = "case_change_action", .value = std::string("UPPER")}}};
  EXPECT_EQ(run_node(node, {words({"Monday", "tuesday", "MONDAY", "wed"}, {1, 4})})[0],
            words({"TUESDAY", "WED"}, {1, 2}));
  EXPECT_EQ(run_node(node, {words({"monday"}, {1})})[0], words({""}, {1}));
}

TEST(StringConcatTest, Broadcasts) {
  EXPECT_EQ(run_node({.op = "StringConcat"}, {words({"a", "b"}, {2}), words({"x"}, {1})})[0], words({"ax", "bx"}, {2}));
}

TEST(StringSplitTest, SplitsAtDelimitersAndFillsUp) {
  const OneNode node{
      .op = "StringSplit", .attributes = {{.name = "delimiter", .value = std::string("-")}}, .outputs = 2};
  const auto outputs = run_node(node, {words({"a-b--", "c"}, {2})});
  EXPECT_EQ(outputs[0], words({"a", "b", "", "", "c", "", "", ""}, {2, 4}));
  EXPECT_EQ(outputs[1], int64s({4, 1}, {2}));
}

TEST(StringSplitTest, SplitsAtSpacesAndKeepsTheRest) {
  const OneNode node{.op = "StringSplit", .attributes = {{.name = "maxsplit", .value = std::int64_t{1}}}, .outputs = 2};
  EXPECT_EQ(run_node(node, {words({"  a  b c ", ""}, {2})})[0], words({"a", "b c", "", ""}, {2, 2}));
}

TEST(RegexFullMatchTest, MatchesEveryElement) {
  const OneNode node{.op = "RegexFullMatch", .attributes = {{.name = "pattern", .value = std::string("\\d+")}}};
  EXPECT_EQ(run_node(node, {words({"12", "1a"}, {2})})[0], Tensor::of<bool>({true, false}, {2}));
}

TEST(RegexFullMatchTest, RefusesPatternsOutsideTheSyntaxOrTooLarge) {
  for (const char* pattern : {"(a", "[a", "a(?=b)", "(a)\\1", "((a{1000}){1000}){1000}"}) {
    const OneNode node{.op = "RegexFullMatch", .attributes = {{.name = "pattern", .value = std::string(pattern)}}};
    EXPECT_THROW(run_node(node, {words({"a"}, {1})}), InputError) << pattern;
  }
}

TEST(TfIdfVectorizerTest, CountsBigramsWithSkips) {
  const std::vector<std::int64_t> counts = {0, 0}, indexes = {0, 1}, pool = {1, 2, 1, 3};
  const OneNode node{.op = "TfIdfVectorizer",
                     .attributes = {{.name = "min_gram_length", .value = std::int64_t{2}},
                                    {.name = "max_gram_length", .value = std::int64_t{2}},
                                    {.name = "max_skip_count", .value = std::int64_t{1}},
                                    {.name = "mode", .value = std::string("TFIDF")},
                                    {.name = "ngram_counts", .value = counts},
                                    {.name = "ngram_indexes", .value = indexes},
                                    {.name = "pool_int64s", .value = pool},
                                    {.name = "weights", .value = std::vector<float>{1, 10}}}};
  expect_numbers(run_node(node, {int64s({1, 2, 3, 1, 2}, {5})})[0], {2}, {2, 10});
}

TEST(MomentumTest, LooksAheadInNesterovMode) {
  const OneNode node{.op = "Momentum",
                     .attributes = {{.name = "alpha", .value = 0.5f},
                                    {.name = "beta", .value = 2.0f},
                                    {.name = "mode", .value = std::string("nesterov")},
                                    {.name = "norm_coefficient", .value = 0.0f}},
                     .outputs = 2,
                     .domain = "ai.onnx.preview.training"};
  const auto outputs = run_node(node, {Tensor::scalar(1.0f), Tensor::scalar<std::int64_t>(1), floats({10}, {1}),
                                       floats({1}, {1}), floats({4}, {1})});
  expect_numbers(outputs[1], {1}, {4});
  expect_numbers(outputs[0], {1}, {7});
}

}  // namespace
}  // namespace hone

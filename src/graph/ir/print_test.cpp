#include "graph/ir/print.h"

#include <gtest/gtest.h>

#include "graph/ir/compare.h"
#include "graph/ir/parse.h"
#include "graph/ir/random_model_test.h"
#include "graph/ir/verify.h"

namespace hone {
namespace {

TEST(PrintTest, WritesTheSyntaxOnnxPublishes) {
  Model model;
  model.ir_version = 8;
  model.opsets.imports = {{"", 17}};
  Graph& graph = model.graph;
  graph.name = "agraph";
  const ValueId inputs[] = {graph.add_input("x", Type::tensor(ElementType::float32, {Dim::symbol("N"), 3})),
                            graph.add_constant("w", Tensor::of<float>({1, 2.5}, {2}))};
  Attributes attributes = {{.name = "strides", .value = std::vector<std::int64_t>{2, 2}},
                           {.name = "alpha", .value = 1.0f}};
  const ValueId y = graph.add(OpName::intern("", "Conv"), inputs, std::move(attributes), "y");
  graph.set_type(y, Type::tensor(ElementType::float32));
  graph.add_output(y);
  EXPECT_EQ(print(model),
            "<\n  ir_version: 8,\n  opset_import: [\"\" : 17]\n>\n"
            "agraph (float[N,3] x) => (float[] y)\n"
            "<float[2] w = {1,2.5}>\n"
            "{\n"
            "  [y] y = Conv <strides = [2, 2], alpha = 1.0> (x, w)\n"
            "}\n");
}

TEST(PrintTest, QuotesNamesThatAreNotIdentifiers) {
  Graph graph;
  graph.name = "float";
  graph.add_input("layer/x:0", {});
  graph.add_input("seq", {});
  graph.add_input("quote\"", {});
  EXPECT_EQ(print(graph), "\"float\" (\"layer/x:0\", \"seq\", \"quote\\\"\") => ()\n{\n}\n");
}

TEST(PrintTest, EveryRandomModelReadsBackTheSame) {
  Rng rng(7);
  for (int i = 0; i < 500; ++i) {
    const Model model = random_model(rng);
    ASSERT_EQ(verify(model), std::nullopt) << "model " << i;
    const std::string text = print(model);
    const Model again = parse_model(text, "text");
    ASSERT_TRUE(same_model(model, again)) << "model " << i << "\n" << text;
    ASSERT_EQ(verify(again), std::nullopt);
    ASSERT_EQ(print(again), text);
  }
}

TEST(PrintTest, BrokenTextIsRefusedOrReadsBackTheSame) {
  Rng rng(11);
  for (int i = 0; i < 500; ++i) {
    std::string text = print(random_model(rng));
    for (std::uint64_t edits = 1 + rng.below(3); edits-- > 0 && !text.empty();) {
      const std::size_t at = rng.below(text.size());
      if (rng.below(2) == 0) text.erase(at, 1 + rng.below(4));
      else text.insert(at, 1, "<>(){}[],:=@?.\"\\#-0a "[rng.below(21)]);
    }
    try {
      const Model model = parse_model(text, "text");
      EXPECT_TRUE(same_model(model, parse_model(print(model), "again"))) << text;
    } catch (const InputError& error) {
      EXPECT_EQ(std::string(error.what()).substr(0, 5), "text:") << error.what();
    }
  }
}

}  // namespace
}  // namespace hone

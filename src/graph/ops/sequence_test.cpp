#include "graph/ops/one_node_test.h"

namespace hone {
namespace {

/// A model that is built and run one node after the other.
struct Chain {
  Model model;

  Chain() { model.opsets.imports = {{"", 18}}; }

  ValueId constant(Tensor tensor) { return model.graph.add_constant("", std::move(tensor)); }
  ValueId add(std::string_view op, std::initializer_list<ValueId> inputs, Attributes attributes = {}) {
    return model.graph.add(OpName::intern("", op), std::span(inputs.begin(), inputs.size()), std::move(attributes));
  }
  Datum run(ValueId output) {
    model.graph.add_output(output);
    return ReferenceInterpreter(model).run({}).back();
  }
  std::string type(ValueId value) {
    infer_types(model);
    return text_of(model.graph.value(value).type);
  }
};

Tensor number(float value) { return Tensor::of<float>({value}, {1}); }

TEST(SequenceTest, InsertsErasesAndCountsFromTheEnd) {
  Chain chain;
  const ValueId pair = chain.add("SequenceConstruct", {chain.constant(number(1)), chain.constant(number(2))});
  const ValueId three =
      chain.add("SequenceInsert", {pair, chain.constant(number(3)), chain.constant(Tensor::scalar<std::int64_t>(-1))});
  const ValueId joined = chain.add("ConcatFromSequence", {three}, {whole("axis", 0)});
  EXPECT_EQ(chain.run(joined).tensor(), Tensor::of<float>({1, 3, 2}, {3}));
  EXPECT_EQ(chain.type(joined), "float[?]");
  const ValueId two = chain.add("SequenceErase", {three, chain.constant(Tensor::scalar<std::int64_t>(-3))});
  EXPECT_EQ(chain.run(chain.add("ConcatFromSequence", {two}, {whole("axis", 0), whole("new_axis", 1)})).tensor(),
            Tensor::of<float>({3, 2}, {2, 1}));
  EXPECT_EQ(chain.run(chain.add("SequenceLength", {two})).tensor(), Tensor::scalar<std::int64_t>(2));
}

TEST(SequenceTest, RefusesPositionsOutside) {
  Chain chain;
  const ValueId one = chain.add("SequenceConstruct", {chain.constant(number(1))});
  EXPECT_THROW(chain.run(chain.add("SequenceAt", {one, chain.constant(Tensor::scalar<std::int64_t>(1))})), InputError);
}

TEST(SplitToSequenceTest, GivesAShorterLastPart) {
  Chain chain;
  const ValueId x = chain.constant(Tensor::of<float>({1, 2, 3, 4, 5}, {5}));
  const ValueId parts = chain.add("SplitToSequence", {x, chain.constant(Tensor::scalar<std::int64_t>(2))});
  EXPECT_EQ(chain.type(parts), "seq(float[?])");
  EXPECT_EQ(chain.run(chain.add("SequenceAt", {parts, chain.constant(Tensor::scalar<std::int64_t>(2))})).tensor(),
            number(5));
}

TEST(SplitToSequenceTest, DropsTheAxisOfSingleElements) {
  Chain chain;
  const ValueId parts = chain.add("SplitToSequence", {chain.constant(Tensor::of<float>({1, 2, 3, 4}, {2, 2}))},
                                  {whole("axis", 1), whole("keepdims", 0)});
  EXPECT_EQ(chain.type(parts), "seq(float[2])");
  EXPECT_EQ(chain.run(chain.add("SequenceAt", {parts, chain.constant(Tensor::scalar<std::int64_t>(1))})).tensor(),
            Tensor::of<float>({2, 4}, {2}));
}

TEST(OptionalTest, KnowsWhetherItIsFull) {
  Chain chain;
  const ValueId full = chain.add("Optional", {chain.constant(number(1))}), empty = chain.add("Optional", {});
  EXPECT_EQ(chain.run(chain.add("OptionalHasElement", {full})).tensor(), Tensor::scalar(true));
  EXPECT_EQ(chain.run(chain.add("OptionalHasElement", {empty})).tensor(), Tensor::scalar(false));
  EXPECT_EQ(chain.run(chain.add("OptionalGetElement", {full})).tensor(), number(1));
  EXPECT_THROW(chain.run(chain.add("OptionalGetElement", {empty})), InputError);
}

}  // namespace
}  // namespace hone

#include <gtest/gtest.h>

#include "graph/ops/infer.h"
#include "run/reference/reference.h"

namespace hone {
namespace {

/// x -> Reshape(x, shape) in a model of the given opset.
Model reshape_model(Shape input, std::initializer_list<std::int64_t> target) {
  Model model;
  model.opsets.imports = {{"", 21}};
  const ValueId x = model.graph.add_input("x", Type::tensor(ElementType::float32, std::move(input)));
  const ValueId shape = model.graph.add_constant("shape", Tensor::vector(std::vector<std::int64_t>(target)));
  const ValueId inputs[] = {x, shape};
  model.graph.add_output(model.graph.add(OpName::intern("", "Reshape"), inputs));
  return model;
}

TEST(ReshapeTest, MinusOneTakesWhatIsLeftOfSymbolicDims) {
  Model model = reshape_model({Dim::symbol("batch"), 4, 6}, {0, -1});
  infer_types(model);
  EXPECT_EQ(text_of(model.graph.value(model.graph.outputs()[0]).type), "float[batch,24]");
}

TEST(ReshapeTest, RefusesAnotherNumberOfElements) {
  Model model = reshape_model({2, 3}, {7});
  EXPECT_THROW(infer_types(model), InputError);
}

TEST(ReshapeTest, RunsWithoutCopying) {
  const Model model = reshape_model({2, 3}, {3, -1});
  const Tensor x = Tensor::of<float>({1, 2, 3, 4, 5, 6}, {2, 3});
  const Datum input(x);
  const std::vector<Datum> outputs = ReferenceInterpreter(model).run(std::span(&input, 1));
  EXPECT_EQ(outputs[0].tensor().dims(), (Dims{3, 2}));
  EXPECT_EQ(outputs[0].tensor().bytes().data(), x.bytes().data());
}

}  // namespace
}  // namespace hone

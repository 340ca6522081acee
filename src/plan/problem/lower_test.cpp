#include "plan/problem/lower.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "zoo/registry.h"

namespace hone {
namespace {

const OpName* op(std::string_view name) { return OpName::intern("", name); }

Model small_model(Dim batch) {
  Model model;
  model.source = "small";
  model.opsets.imports = {{"", 21}};
  Graph& graph = model.graph;
  const ValueId x = graph.add_input("x", Type::tensor(ElementType::float32, {batch, 4}));
  const ValueId shape = graph.add_constant("shape", Tensor::of<std::int64_t>({8}, {1}));
  const ValueId relu = graph.add_value("relu", Type::tensor(ElementType::float32, {batch, 4}));
  const ValueId flat = graph.add_value("flat", Type::tensor(ElementType::float32, {8}));
  graph.add_node(op("Relu"), std::span(&x, 1), std::span(&relu, 1), {}, "first");
  const ValueId inputs[] = {relu, shape};
  graph.add_node(op("Reshape"), inputs, std::span(&flat, 1));
  graph.add_output(flat);
  return model;
}

TEST(LowerTest, NodesBecomeOperationAndViewsBecomeAliases) {
  const Workload workload = lower(small_model(2));
  ASSERT_EQ(workload.operation_count(), 2U);
  EXPECT_EQ(workload.operation(OperationId(0)).name, "first");
  EXPECT_EQ(workload.operation(OperationId(1)).name, "flat");
  EXPECT_EQ(workload.operation(OperationId(1)).operation_class, OperationClass::view);
  EXPECT_EQ(workload.operation(OperationId(1)).bytes, 0);
  const BufferId relu = workload.outputs(OperationId(0))[0], flat = workload.outputs(OperationId(1))[0];
  EXPECT_EQ(workload.buffer(relu).bytes, 32);
  EXPECT_FALSE(workload.buffer(relu).is_output);
  EXPECT_TRUE(workload.buffer(flat).is_output);
  EXPECT_EQ(workload.buffer(flat).alias_of, relu);
  EXPECT_EQ(workload.buffer(workload.inputs(OperationId(0))[0]).kind, Buffer::Kind::input);
  EXPECT_EQ(workload.buffer(workload.inputs(OperationId(1))[1]).kind, Buffer::Kind::weight);
}

TEST(LowerTest, ContractionsOverAWindowAreConvolutions) {
  const auto class_of = [](std::string_view domain, std::string_view name) {
    Node node;
    node.op = OpName::intern(domain, name);
    return operation_class_of(node);
  };
  for (const char* name : {"Conv", "ConvTranspose", "ConvInteger", "QLinearConv", "DeformConv"})
    EXPECT_EQ(class_of("", name), OperationClass::convolution) << name;
  EXPECT_EQ(class_of("com.microsoft", "FusedConv"), OperationClass::convolution);
  for (const char* name : {"MatMul", "Gemm", "LSTM", "Einsum"})
    EXPECT_EQ(class_of("", name), OperationClass::matmul) << name;
  EXPECT_EQ(class_of("", "MaxPool"), OperationClass::reduction);
}

TEST(LowerTest, RefusesASizeThatIsNoNumber) { EXPECT_THROW(lower(small_model(Dim::symbol("batch"))), InputError); }

TEST(LowerTest, ConvolutionsOfAZooModelDominate) {
  const Workload workload = lower(build_zoo("zoo:squeezenet"));
  double convolution = 0, other = 0;
  for (std::size_t i = 0; i < workload.operation_count(); ++i) {
    const Operation& operation = workload.operation(OperationId(i));
    (operation.operation_class == OperationClass::convolution ? convolution : other) += operation.flops;
  }
  EXPECT_GT(workload.operation_count(), 50U);
  EXPECT_GT(convolution, 0.5 * (convolution + other));
}

}  // namespace
}  // namespace hone

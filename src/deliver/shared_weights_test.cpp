#include "deliver/shared_weights.h"

#include <gtest/gtest.h>

#include "base/child_process.h"
#include "formats/onnx/read.h"
#include "formats/onnx/write.h"
#include "graph/ir/parse.h"

namespace hone {
namespace {

/// A product with a weight of 160 KB, and a bias that is small.
Model with_large_weight(float first) {
  Model model = parse_model(R"(<ir_version: 8, opset_import: ["": 17]>
    g (float[4,200] x) => (float[4,200] y) <float[1,1] large = {1}, float[2] small = {1,2}> {
      product = MatMul(x, large)
      y = Relu(product) })",
                            "test");
  Tensor weight = Tensor::zeros(ElementType::float32, {200, 200});
  weight.write<float>()[0] = first;
  model.graph.set_constant(model.graph.initializers()[0], weight);
  return model;
}

std::uintmax_t bytes_in(const std::filesystem::path& folder) {
  std::uintmax_t sum = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) sum += entry.file_size();
  return sum;
}

TEST(SharedWeightsTest, AWeightThatModelsHaveInCommonIsStoredOnce) {
  const TemporaryFolder folder;
  SharedWeights weights(folder.path());
  const Model original = with_large_weight(3);
  Model edited = original;
  edited.graph.name = "edited";
  onnx::write(weights.refer(original), folder.path() / "0.onnx");
  const std::uintmax_t once = bytes_in(folder.path());
  onnx::write(weights.refer(edited), folder.path() / "1.onnx");
  EXPECT_LT(bytes_in(folder.path()) - once, 10'000u);
  onnx::write(weights.refer(with_large_weight(5)), folder.path() / "2.onnx");
  EXPECT_GE(bytes_in(folder.path()), 2 * 200 * 200 * sizeof(float));
  const auto first_of = [&](const char* name) {
    const Model read = onnx::read(folder.path() / name);
    return read.graph.value(read.graph.initializers()[0]).constant->number_at(0);
  };
  EXPECT_EQ(first_of("0.onnx"), 3);
  EXPECT_EQ(first_of("1.onnx"), 3);
  EXPECT_EQ(first_of("2.onnx"), 5);
}

}  // namespace
}  // namespace hone

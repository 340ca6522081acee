#include "embed/embedded_model.h"

#include <gtest/gtest.h>

#include <fstream>
#include <numeric>

#include "base/child_process.h"
#include "formats/onnx/write.h"
#include "graph/ir/parse.h"
#include "graph/ops/infer.h"

namespace hone {
namespace {

class EmbeddedModelTest : public testing::Test {
 protected:
  std::filesystem::path file(const std::string& text) const {
    const std::filesystem::path path = folder_.path() / "net.onnx";
    onnx::write(parse_model("<ir_version: 8, opset_import: [\"\" : 18]> " + text, "test"), path);
    return path;
  }
  /// The plan file by which the model of a file runs with so many rows.
  std::filesystem::path plan_for(const std::string& text) const {
    Model model = parse_model("<ir_version: 8, opset_import: [\"\" : 18]> " + text, "test");
    infer_types(model);
    const std::filesystem::path path = folder_.path() / "net.plan.json";
    std::ofstream(path) << RuntimeKind::stand_in()->make("")->plan_of(model, {});
    return path;
  }
  static void set_ones(EmbeddedModel& model, std::int64_t rows) {
    const std::vector<float> ones(static_cast<std::size_t>(rows) * 2, 1);
    model.set_input("x", ElementType::float32, {rows, 2}, ones.data());
  }
  static double sum(const Tensor& tensor) {
    const auto values = tensor.values<float>();
    return std::accumulate(values.begin(), values.end(), 0.0);
  }

  TemporaryFolder folder_;
};

constexpr const char* kOpen = "g (float[n,2] x) => (float[n,2] y) <float k = {3}> { a = Mul(x, k) y = Neg(a) }";

TEST_F(EmbeddedModelTest, RunsOnInputsOfAnySizes) {
  EmbeddedModel model(file(kOpen), {}, 1);
  EXPECT_EQ(model.input_names(), std::vector<std::string>{"x"});
  EXPECT_EQ(model.output_names(), std::vector<std::string>{"y"});
  EXPECT_EQ(model.output("y"), nullptr);
  for (const std::int64_t rows : {1, 5, 1, 0, 5}) {
    set_ones(model, rows);
    model.run();
    ASSERT_NE(model.output("y"), nullptr);
    EXPECT_EQ(model.output("y")->dims(), (Dims{rows, 2}));
    EXPECT_EQ(sum(*model.output("y")), -6.0 * static_cast<double>(rows));
    EXPECT_FALSE(model.ran_by_plan());
  }
}

TEST_F(EmbeddedModelTest, ObeysAPlanForTheSizesItWasMadeFor) {
  const std::string fixed = "g (float[4,2] x) => (float[4,2] y) <float k = {3}> { a = Mul(x, k) y = Neg(a) }";
  EmbeddedModel model(file(kOpen), plan_for(fixed), 1);
  set_ones(model, 4);
  model.run();
  EXPECT_TRUE(model.ran_by_plan());
  set_ones(model, 3);
  model.run();
  EXPECT_FALSE(model.ran_by_plan());
  EXPECT_EQ(sum(*model.output("y")), -18);
}

TEST_F(EmbeddedModelTest, RefusesAPlanForAnotherModelOfFixedSizesAtOnce) {
  const std::string four = "g (float[4,2] x) => (float[4,2] y) { y = Neg(x) }";
  const std::string five = "g (float[5,2] x) => (float[5,2] y) { y = Neg(x) }";
  EXPECT_THROW(EmbeddedModel(file(four), plan_for(five), 1), InputError);
}

TEST_F(EmbeddedModelTest, SaysWhatIsWrongWithInputs) {
  EmbeddedModel model(file(kOpen), {}, 1);
  EXPECT_THROW(model.run(), InputError);  // nothing was set
  const double number = 1;
  EXPECT_THROW(model.set_input("z", ElementType::float32, {1, 2}, &number), InputError);
  EXPECT_THROW(model.set_input("x", ElementType::float64, {1, 2}, &number), InputError);
  const std::vector<float> ones(3, 1);
  model.set_input("x", ElementType::float32, {1, 3}, ones.data());
  EXPECT_THROW(model.run(), InputError);  // the second size is fixed
  set_ones(model, 2);
  model.run();
  EXPECT_EQ(sum(*model.output("y")), -12);
}

}  // namespace
}  // namespace hone

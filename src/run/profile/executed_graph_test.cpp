#include "run/profile/executed_graph.h"

#include <gtest/gtest.h>

#include <numeric>

#include "base/child_process.h"
#include "formats/onnx/write.h"
#include "graph/clean/clean_case_test.h"

namespace hone {
namespace {

constexpr std::string_view kOneProduct = "g (float[64,64] x) => (y) { a = MatMul(x, x) y = Relu(a) }";
constexpr std::string_view kTwoProducts = "g (float[64,64] x) => (y) { a = MatMul(x, x) b = Relu(a) y = MatMul(b, x) }";

double seconds_in(const ExecutedGraph& graph) {
  return std::accumulate(graph.kernels.begin(), graph.kernels.end(), graph.frame_seconds,
                         [](double sum, const ExecutedKernels& each) { return sum + each.seconds; });
}

std::size_t kernels_in(const ExecutedGraph& graph) {
  return std::accumulate(graph.kernels.begin(), graph.kernels.end(), std::size_t{0},
                         [](std::size_t sum, const ExecutedKernels& each) { return sum + each.count; });
}

TEST(ExecutedGraphTest, GroupsThatAreKnownNeedNoRun) {
  const Model one = typed_model(kOneProduct), two = typed_model(kTwoProducts);
  const ModelToRun models[] = {{one, {}}, {two, {}}};
  ProfileRequest request{.runtime = RuntimeKind::stand_in()->make("")};
  const ExecutedGraphs first = executed_groups(models, request);
  ASSERT_EQ(first.graphs.size(), 2u);
  EXPECT_GT(seconds_in(first.graphs[0]), 0);
  EXPECT_GT(kernels_in(first.graphs[1]), kernels_in(first.graphs[0]));
  request.known = first.timings;
  const ExecutedGraphs again = executed_groups(models, request);
  EXPECT_TRUE(again.timings.records().empty());
  EXPECT_EQ(seconds_in(again.graphs[1]), seconds_in(first.graphs[1]));
}

TEST(ExecutedGraphTest, AModelThatDoesNotRunHasNoKernels) {
  const Model model = typed_model("g (float[2] x) => (y) { y = somewhere.Unheard(x) }");
  const ModelToRun models[] = {{model, {}}};
  const ExecutedGraphs found = executed_groups(models, {.runtime = RuntimeKind::stand_in()->make("")});
  ASSERT_EQ(found.graphs.size(), 1u);
  EXPECT_TRUE(found.graphs[0].kernels.empty());
}

TEST(ExecutedGraphTest, KernelsAreThoseTheRuntimeFused) {
  const auto runtime = usual_runtime();
  if (!runtime->available()) GTEST_SKIP() << "needs " << runtime->title() << ": " << runtime->install_command();
  const Model model = typed_model("g (float[64,64] x) => (y) { t = Transpose<perm = [1,0]>(x) y = MatMul(t, x) }");
  const TemporaryFolder folder;
  onnx::write(model, folder.path() / "model.onnx");
  const ModelToRun models[] = {{model, folder.path() / "model.onnx"}};
  ProfileRequest request{.runtime = runtime, .effort = {.least_rounds = 2, .most_rounds = 2, .seconds = 0}};
  const ExecutedGraphs found = executed_graphs(models, request);
  ASSERT_EQ(found.graphs.size(), 1u);
  EXPECT_EQ(kernels_in(found.graphs[0]), 1u);  // a product that reads its first operand transposed
  EXPECT_EQ(found.graphs[0].untimed, 0u);
  EXPECT_EQ(found.timings.records().size(), 1u);
}

}  // namespace
}  // namespace hone

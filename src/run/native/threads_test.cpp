#include "run/native/threads.h"

#include <gtest/gtest.h>

#include <atomic>

#include "graph/ir/print.h"
#include "graph/ops/infer.h"
#include "run/native/random_groups_test.h"
#include "run/runtime/runtime.h"

namespace hone::native {
namespace {

TEST(ThreadsTest, EveryShareIsDoneOnce) {
  const std::size_t before = thread_count();
  set_thread_count(2);
  std::atomic<int> done[5] = {};
  on_threads(5, [&](std::size_t share) { ++done[share]; });
  for (const auto& count : done) EXPECT_EQ(count, 1);
  set_thread_count(before);
}

TEST(ThreadsTest, PartsAreSharedWithoutGapsAndLittleWorkIsNot) {
  const std::size_t before = thread_count();
  set_thread_count(3);
  EXPECT_EQ(shares_of(10, 100), 1U);
  EXPECT_EQ(shares_of(1e6, 100), 3U);
  EXPECT_EQ(shares_of(1e6, 2), 2U);
  std::int64_t next = 0;
  for (std::size_t share = 0; share < 3; ++share) {
    EXPECT_EQ(range_of(10, share, 3).first, next);
    next = range_of(10, share, 3).last;
  }
  EXPECT_EQ(next, 10);
  set_thread_count(before);
}

/// Results of the same model on so many threads.
std::vector<Datum> results_on(std::size_t threads, const Model& model, std::span<const Datum> inputs,
                              const std::string& parameters = "") {
  const auto runtime = RuntimeKind::named("native").make(parameters);
  const auto host = runtime->start(threads);
  const auto prepared = host->prepare({model, {}}, {});
  prepared->set_inputs(inputs);
  return prepared->outputs();
}

void expect_the_same_bits(const Model& model, std::span<const Datum> inputs, const std::string& parameters = "") {
  const std::vector<Datum> alone = results_on(1, model, inputs, parameters);
  for (const std::size_t threads : {2U, 3U}) {
    const std::vector<Datum> shared = results_on(threads, model, inputs, parameters);
    for (std::size_t i = 0; i < alone.size(); ++i) {
      const auto a = alone[i].tensor().bytes(), b = shared[i].tensor().bytes();
      ASSERT_TRUE(std::ranges::equal(a, b)) << "on " << threads << " threads, output " << i << " of\n" << print(model);
    }
  }
  set_thread_count(1);
}

TEST(ThreadsTest, RandomGroupsHaveTheSameBitsOnAnyNumberOfThreads) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const RandomGroup group = random_group(rng, 200'000);
    expect_the_same_bits(group.model, group.inputs);
    if (HasFatalFailure()) return;
  }
}

/// A model of large steps: convolutions of all kinds, pooling, attention, a table.
class LargeModel {
 public:
  LargeModel() {
    model_.opsets.imports = {{"", 20}};
    Graph& graph = model_.graph;
    image_ = add_input({1, 32, 40, 44});
    const ValueId wide = add("Relu", {add("Conv", {image_, weights({48, 32, 1, 1}), weights({48})})});
    const ValueId pads = add("Conv", {wide, weights({48, 1, 3, 3})}, {{"group", 48}, {"pads", kPads}});
    const ValueId seen = add("Relu", {add("Conv", {pads, weights({32, 48, 3, 3})}, {{"pads", kPads}})});
    const ValueId sum = add("Add", {seen, image_});
    graph.add_output(add("MaxPool", {sum}, {{"kernel_shape", std::vector<std::int64_t>{2, 2}}}));
    const ValueId rows = add("Transpose", {add("Reshape", {sum, integers({1, 32, 1760})})}, {{"perm", kExchanged}});
    const ValueId even = add("LayerNormalization", {rows, weights({32})});
    const ValueId long_rows = add("Gelu", {add("MatMul", {even, weights({32, 96})})});
    const ValueId heads = add("Reshape", {long_rows, integers({8, 220, 96})});
    const ValueId across = add("Transpose", {heads}, {{"perm", kExchanged}});
    const ValueId scores = add("Softmax", {add("MatMul", {heads, across})}, {{"axis", 2}});
    graph.add_output(add("MatMul", {scores, heads}));
    graph.add_output(add("Gather", {weights({50, 700}), integers_of(200, 50)}));
    infer_types(model_);
  }
  const Model& model() const { return model_; }
  std::vector<Datum> inputs() { return {floats({1, 32, 40, 44})}; }

 private:
  inline static const std::vector<std::int64_t> kPads{1, 1, 1, 1}, kExchanged{0, 2, 1};

  Tensor floats(const Dims& dims) {
    Tensor tensor = Tensor::zeros(ElementType::float32, dims);
    for (float& element : tensor.write<float>()) element = static_cast<float>(rng_.uniform(-0.2, 0.2));
    return tensor;
  }
  ValueId add_input(const Dims& dims) {
    return model_.graph.add_input("image", Type::tensor(ElementType::float32, floats(dims).shape()));
  }
  ValueId constant(const Tensor& tensor) {
    const ValueId id = model_.graph.add_constant("constant" + std::to_string(next_++), tensor);
    model_.graph.set_type(id, Type::tensor(tensor.type(), tensor.shape()));
    return id;
  }
  ValueId weights(const Dims& dims) { return constant(floats(dims)); }
  ValueId integers(const std::vector<std::int64_t>& list) { return constant(Tensor::vector(list)); }
  ValueId integers_of(std::size_t count, std::int64_t bound) {
    std::vector<std::int64_t> list;
    for (std::size_t i = 0; i < count; ++i)
      list.push_back(static_cast<std::int64_t>(rng_.below(static_cast<std::size_t>(bound))));
    return integers(list);
  }
  ValueId add(std::string_view op, const std::vector<ValueId>& inputs, Attributes attributes = {}) {
    return model_.graph.add(OpName::intern("", op), inputs, std::move(attributes));
  }

  Rng rng_{17};
  Model model_;
  ValueId image_;
  std::size_t next_ = 0;
};

TEST(ThreadsTest, LargeModelsHaveTheSameBitsOnAnyNumberOfThreads) {
  LargeModel large;
  const std::vector<Datum> inputs = large.inputs();
  for (const char* parameters : {"layout=blocks", "layout=channels-last"})
    expect_the_same_bits(large.model(), inputs, parameters);
}

}  // namespace
}  // namespace hone::native

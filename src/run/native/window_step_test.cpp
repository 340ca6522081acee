#include "run/native/window_step.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "graph/ir/print.h"
#include "graph/ops/infer.h"
#include "run/native/native_steps_test.h"
#include "run/native/threads.h"
#include "run/reference/reference.h"
#include "run/runtime/runtime.h"
#include "run/verify/compare.h"
#include "run/verify/inputs.h"

namespace hone::native {
namespace {

using Integers = std::vector<std::int64_t>;

/// Images and a window that slides over them.
struct WindowedImages {
  Integers dims;  // 1x16x9x9
  Integers window{3, 3}, strides{1, 1}, pads{1, 1, 1, 1};
};

/// A model of one window and what follows it.
class WindowModel {
 public:
  explicit WindowModel(const WindowedImages& images) : images_(images) {
    model_.opsets.imports = {{"", 18}};
    Shape shape;
    for (const std::int64_t dim : images.dims) shape.push_back(Dim(dim));
    x_ = last_ = model_.graph.add_input("x", Type::tensor(ElementType::float32, shape));
  }

  WindowModel& convolve() {
    Integers weights{images_.dims[1], 1};
    weights.insert(weights.end(), images_.window.begin(), images_.window.end());
    return add("Conv", {last_, constant(weights), constant({images_.dims[1]})}, slide({{"group", images_.dims[1]}}));
  }
  WindowModel& pool(std::string_view op, std::int64_t counts_padding = 0) {
    Attributes attributes{{"kernel_shape", images_.window}};
    if (counts_padding != 0) attributes.push_back({"count_include_pad", counts_padding});
    return add(op, {last_}, slide(std::move(attributes)));
  }
  WindowModel& then(std::string_view op) { return add(op, {last_}, {}); }
  WindowModel& then_add_input() { return add("Add", {last_, x_}, {}); }

  Model made() {
    model_.graph.add_output(last_);
    infer_types(model_);
    return std::move(model_);
  }

 private:
  Attributes slide(Attributes attributes) const {
    attributes.push_back({"strides", images_.strides});
    attributes.push_back({"pads", images_.pads});
    return attributes;
  }
  ValueId constant(const Integers& dims) {
    Tensor tensor = Tensor::zeros(ElementType::float32, Dims(std::span(dims)));
    for (float& element : tensor.write<float>()) element = static_cast<float>(rng_.uniform(-1, 1));
    const ValueId id = model_.graph.add_constant(fmt::format("constant{}", dims.size()), tensor);
    model_.graph.set_type(id, Type::tensor(tensor.type(), tensor.shape()));
    return id;
  }
  WindowModel& add(std::string_view op, const std::vector<ValueId>& inputs, Attributes attributes) {
    last_ = model_.graph.add(OpName::intern("", op), inputs, std::move(attributes));
    return *this;
  }

  WindowedImages images_;
  Rng rng_{5};
  Model model_;
  ValueId x_, last_;
};

std::vector<Datum> results_of(const Model& model, const std::string& layout, std::size_t threads,
                              std::span<const Datum> inputs) {
  const auto host = RuntimeKind::named("native").make(layout)->start(threads);
  const auto prepared = host->prepare({model, {}}, {});
  prepared->set_inputs(inputs);
  return prepared->outputs();
}

constexpr const char* kWindowLayouts[] = {"layout=blocks", "layout=channels-last"};

/// Equal to the reference interpreter in both layouts, with own code where channels lie in blocks.
void expect_window(const Model& model) {
  const std::vector<Datum> inputs = given_inputs(model, {}, 3), expected = ReferenceInterpreter(model).run(inputs);
  for (const char* layout : kWindowLayouts) {
    const Difference difference = compare(results_of(model, layout, 1, inputs)[0], expected[0], Tolerance{2e-5, 2e-5});
    EXPECT_TRUE(difference.within) << difference.reason << ", " << layout << ", in\n" << print(model);
  }
  if (!PackedProduct::is_available()) return;
  const std::string steps = fmt::format("{}", fmt::join(steps_of(model, inputs), "; "));
  EXPECT_NE(steps.find("window "), std::string::npos) << steps << "in\n" << print(model);
}

TEST(WindowStepTest, ConvolvesEveryChannelByItself) {
  for (const std::int64_t size : {3, 5, 7})
    for (const std::int64_t stride : {1, 2})
      for (const std::int64_t channels : {1, 16, 44})
        for (const Integers& pads : {Integers{size / 2, size / 2, size / 2, size / 2}, Integers{0, 1, 1, 3}})
          expect_window(WindowModel({.dims = {1, channels, 15, stride == 1 ? 31 : 58},
                                     .window = {size, size},
                                     .strides = {stride, stride},
                                     .pads = pads})
                            .convolve()
                            .made());
}

TEST(WindowStepTest, ConvolvesLinesSeveralImagesAndNarrowWindows) {
  expect_window(WindowModel({.dims = {1, 40, 29}, .window = {5}, .strides = {1}, .pads = {4, 0}}).convolve().made());
  expect_window(WindowModel({.dims = {3, 20, 8, 7}}).convolve().made());
  expect_window(WindowModel({.dims = {2, 32, 4, 19}, .window = {1, 7}, .pads = {0, 3, 0, 3}}).convolve().made());
  expect_window(WindowModel({.dims = {1, 8, 2, 14}, .window = {7, 3}, .pads = {3, 1, 3, 1}}).convolve().made());
}

TEST(WindowStepTest, DoesWhatFollowsInPassing) {
  for (const char* function : {"Relu", "Sigmoid"})
    expect_window(WindowModel({.dims = {2, 20, 9, 12}}).convolve().then(function).made());
  expect_window(WindowModel({.dims = {2, 20, 9, 12}}).convolve().then_add_input().made());
  expect_window(WindowModel({.dims = {2, 20, 9, 12}}).convolve().then_add_input().then("Relu").made());
}

TEST(WindowStepTest, HasTheSameBitsOnAnyNumberOfThreads) {
  const Model model = WindowModel({.dims = {2, 44, 40, 41}}).convolve().then_add_input().made();
  const std::vector<Datum> inputs = given_inputs(model, {}, 4);
  for (const char* layout : kWindowLayouts) {
    const std::vector<Datum> alone = results_of(model, layout, 1, inputs);
    for (const std::size_t threads : {2U, 3U})
      EXPECT_EQ(results_of(model, layout, threads, inputs)[0].tensor(), alone[0].tensor()) << layout;
  }
  set_thread_count(1);
}

TEST(WindowStepTest, Pools) {
  for (const std::int64_t size : {2, 3})
    for (const std::int64_t stride : {1, 2})
      for (const Integers& pads : {Integers{0, 0, 0, 0}, Integers{1, 1, 1, 1}, Integers{0, 0, 1, 1}}) {
        const WindowedImages images{.dims = {2, 20, 15, stride == 1 ? 31 : 58},
                                    .window = {size, size},
                                    .strides = {stride, stride},
                                    .pads = pads};
        expect_window(WindowModel(images).pool("MaxPool").made());
        expect_window(WindowModel(images).pool("AveragePool").made());
        expect_window(WindowModel(images).pool("AveragePool", 1).made());
      }
  expect_window(
      WindowModel({.dims = {1, 20, 58}, .window = {3}, .strides = {2}, .pads = {1, 0}}).pool("AveragePool").made());
}

}  // namespace
}  // namespace hone::native

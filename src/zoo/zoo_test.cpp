#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "graph/ir/order.h"
#include "zoo/builder.h"
#include "zoo/model_names_test.h"

namespace hone {
namespace {

/// Elements of the weights that training would change.
double parameter_count(const Model& model) {
  double count = 0;
  for (const ValueId id : model.graph.initializers()) {
    const Value& value = model.graph.value(id);
    const bool weight = value.name.starts_with('/') && is_floating(value.type.element) &&
                        value.name.find("running_") == std::string::npos &&
                        value.name.find("mask") == std::string::npos && value.name.find("zeros") == std::string::npos;
    if (weight) count += static_cast<double>(value.constant->count());
  }
  return count;
}

/// A standard model and its published number of parameters.
struct PublishedSize {
  std::string spec;
  double millions = 0;
};

class ZooSizeTest : public testing::TestWithParam<PublishedSize> {};

TEST_P(ZooSizeTest, HasThePublishedNumberOfParameters) {
  const Model model =
      build_zoo(GetParam().spec + (GetParam().spec.find(':') == std::string::npos ? ":" : ",") + "weights=zero");
  EXPECT_NEAR(parameter_count(model) / 1e6, GetParam().millions, GetParam().millions / 100);
}

INSTANTIATE_TEST_SUITE_P(Standard, ZooSizeTest,
                         testing::Values(PublishedSize{"resnet18", 11.69}, PublishedSize{"resnet50", 25.56},
                                         PublishedSize{"resnext50", 25.03}, PublishedSize{"squeezenet", 1.235},
                                         PublishedSize{"vgg19", 143.67}, PublishedSize{"mobilenet-v2", 3.505},
                                         PublishedSize{"mnasnet", 4.383}, PublishedSize{"inception-v3", 23.83},
                                         PublishedSize{"efficientnet-b0", 5.289}, PublishedSize{"mobilenet-v3", 5.483},
                                         PublishedSize{"convnext", 28.59}, PublishedSize{"swin", 28.29},
                                         PublishedSize{"nasnet-a", 5.29}, PublishedSize{"unet", 31.04},
                                         PublishedSize{"gpt2", 124.4}, PublishedSize{"vit", 86.57},
                                         PublishedSize{"mamba", 129.1}, PublishedSize{"bert", 109.5},
                                         PublishedSize{"bert-large", 335},
                                         PublishedSize{"llama:layers=16,vocabulary=128256", 1235.8}),
                         [](const auto& test) {
                           std::string name = test.param.spec.substr(0, test.param.spec.find(':'));
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

/// Every model, built without contents.
class ZooModelTest : public testing::TestWithParam<std::string> {};

TEST_P(ZooModelTest, IsAnAcyclicGraphOfDistinctNamesWithStaticTypes) {
  const Model model = build_zoo("zoo:" + GetParam() + ":weights=zero");
  const Graph& graph = model.graph;
  EXPECT_EQ(topological_order(graph).size(), graph.node_count());
  EXPECT_FALSE(graph.outputs().empty());
  std::set<std::string> names;
  for (std::size_t i = 0; i < graph.value_count(); ++i) {
    EXPECT_TRUE(names.insert(graph.value(ValueId(i)).name).second) << graph.value(ValueId(i)).name;
    EXPECT_TRUE(graph.value(ValueId(i)).type.is_static_tensor()) << graph.value(ValueId(i)).name;
  }
}

TEST_P(ZooModelTest, HasATrainingStepThatUpdatesEveryWeight) {
  const Model forward = build_zoo(GetParam() + ":weights=zero");
  const Model model = build_zoo(GetParam() + ":weights=zero,training=true");
  EXPECT_GT(model.graph.node_count(), 2 * forward.graph.node_count());
  EXPECT_EQ(topological_order(model.graph).size(), model.graph.node_count());
  EXPECT_EQ(model.graph.value(model.graph.outputs()[0]).type, Type::tensor(ElementType::float32, {}));
}

TEST_P(ZooModelTest, LeavesNothingUnread) {
  const Model model = build_zoo(GetParam() + ":weights=zero");
  for (std::size_t i = 0; i < model.graph.value_count(); ++i) {
    const ValueId id(i);
    EXPECT_TRUE(!model.graph.users(id).empty() || model.graph.is_output(id)) << model.graph.value(id).name;
  }
}

INSTANTIATE_TEST_SUITE_P(All, ZooModelTest, testing::ValuesIn(model_names()), [](const auto& test) {
  std::string name = test.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

TEST_P(ZooModelTest, TrainsWithoutDeadNodes) {
  const Model model = build_zoo(GetParam() + ":weights=zero,training=true");
  for (const NodeId id : model.graph.nodes()) {
    const auto& outputs = model.graph.node(id).outputs;
    EXPECT_TRUE(std::ranges::any_of(outputs, [&](ValueId output) {
      return !model.graph.users(output).empty() || model.graph.is_output(output);
    })) << model.graph.node(id).name;
  }
}

TEST_P(ZooModelTest, OddSizesAreBuiltOrRefused) {
  for (const char* key : {"resolution", "length", "hidden", "heads", "layers", "channels", "patch", "width"}) {
    for (const int value : {1, 2, 3, 7, 33}) {
      try {
        build_zoo(fmt::format("{}:weights=zero,training=true,{}={}", GetParam(), key, value));
      } catch (const InputError& error) {
        EXPECT_EQ(error.code(), ExitCode::usage) << error.what();
      }
    }
  }
}

TEST(ZooTest, SuggestsTheNearestName) {
  try {
    build_zoo("zoo:squeznet");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "the zoo has no model 'squeznet'; did you mean 'squeezenet'? (`hone zoo list` shows all)");
    EXPECT_EQ(error.code(), ExitCode::usage);
  }
  try {
    build_zoo("bert:layer=2");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "there is no parameter 'layer'; did you mean 'layers'?");
  }
}

TEST(ZooTest, RefusesValuesOutOfRange) {
  EXPECT_THROW(build_zoo("bert:layers=0"), InputError);
  EXPECT_THROW(build_zoo("bert:layers=two"), InputError);
  EXPECT_THROW(build_zoo("bert:layers"), InputError);
  EXPECT_THROW(build_zoo("bert:weights=heavy"), InputError);
  EXPECT_THROW(build_zoo("squeezenet:resolution=2"), InputError);
  EXPECT_THROW(build_zoo("bert:hidden=1000000,heads=1"), InputError);
}

TEST(ZooTest, WeightsDependOnTheSeedAlone) {
  const auto weight = [](const std::string& spec) {
    const Model model = build_zoo(spec);
    return *model.graph.value(*model.graph.find_value("/fire2/squeeze/weight")).constant;
  };
  EXPECT_EQ(weight("squeezenet"), weight("squeezenet:batch=4"));
  EXPECT_FALSE(weight("squeezenet") == weight("squeezenet:seed=2"));
}

TEST(ZooTest, SplatWeightsAreNodes) {
  const Model model = build_zoo("squeezenet:weights=splat");
  double bytes = 0;
  for (const ValueId id : model.graph.initializers())
    bytes += static_cast<double>(model.graph.value(id).constant->bytes().size());
  EXPECT_LT(bytes, 4096);
  EXPECT_EQ(model.graph.value(*model.graph.find_value("/fire2/squeeze/weight/ConstantOfShape")).type,
            Type::tensor(ElementType::float32, {16, 64, 1, 1}));
}

}  // namespace
}  // namespace hone

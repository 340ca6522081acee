#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "graph/ir/verify.h"
#include "graph/ops/cost_context.h"
#include "graph/ops/infer.h"
#include "run/reference/reference.h"
#include "zoo/model_names_test.h"
#include "zoo/weights.h"

namespace hone {
namespace {

/// Settings that make a model small enough to run by definition.
const std::map<std::string, std::string>& small_settings() {
  static const std::map<std::string, std::string> small{
      {"squeezenet", "resolution=32,classes=5"},
      {"resnet18", "resolution=32,classes=5,batch=2"},
      {"resnet50", "resolution=32,classes=5,batch=2"},
      {"resnet101", "resolution=32,classes=5,batch=2"},
      {"resnext50", "resolution=32,classes=5,batch=2"},
      {"vgg19", "resolution=32,classes=5"},
      {"mobilenet-v2", "resolution=32,classes=5,batch=2"},
      {"mnasnet", "resolution=32,classes=5,batch=2"},
      {"efficientnet-b0", "resolution=32,classes=5,batch=2"},
      {"mobilenet-v3", "resolution=32,classes=5,batch=2"},
      {"convnext", "resolution=32,channels=4,layers=1,classes=5,batch=2"},
      {"swin", "resolution=32,window=4,layers=2,hidden=8,heads=2,classes=5,batch=2"},
      {"ssd-mobilenet", "resolution=64,classes=3,batch=2"},
      {"unet", "resolution=16,width=4,depth=2"},
      {"inception-v3", "resolution=75,classes=5,batch=2"},
      {"nasnet-a", "resolution=32,cells=1,channels=16,classes=5,batch=2"},
      {"amoebanet-d", "resolution=32,cells=1,channels=16,classes=5,batch=2"},
      {"bert", "length=6,layers=2,hidden=16,heads=2,feed_forward=32,vocabulary=20,batch=2"},
      {"bert-large", "length=6,layers=1,hidden=16,heads=4,feed_forward=32,vocabulary=20"},
      {"gpt2", "length=6,layers=2,hidden=16,heads=2,positions=8,vocabulary=20,batch=2"},
      {"vit", "resolution=32,patch=16,layers=2,hidden=16,heads=2,feed_forward=32,classes=5,batch=2"},
      {"dalle-mini",
       "text_length=4,image_length=5,layers=2,hidden=16,heads=2,feed_forward=24,text_vocabulary=20,image_vocabulary="
       "20"},
      {"transformer-transducer",
       "length=5,labels=3,features=6,audio_layers=2,label_layers=1,hidden=16,heads=2,feed_forward=32,vocabulary=9"},
      {"transformer-xl", "length=4,memory=3,layers=2,hidden=16,heads=2,feed_forward=32,vocabulary=20,batch=2"},
      {"wavenet", "length=20,stacks=2,layers=3,channels=4,skip_channels=6,levels=8"},
      {"rnnlm", "length=4,layers=2,hidden=8,vocabulary=12,batch=2"},
      {"nasrnn", "length=3,layers=2,hidden=8,vocabulary=12,batch=2"},
      {"drawn-net", "blocks=7,layers=2"},
      {"drawn-rnn", "length=3,layers=3,hidden=8,features=6,classes=5,cells=4,batch=2"},
      {"gnmt", "length=4,layers=4,hidden=8,vocabulary=12,batch=2"},
      {"deeprank", "documents=4,features=3,dense_features=2,vocabulary=10,width=4,layers=2,hidden=8,batch=2"},
      {"graphnets", "nodes=5,edges=9,features=3,hidden=8,rounds=2,outputs=2"},
      {"llama", "length=5,layers=2,hidden=16,heads=4,kv_heads=2,feed_forward=24,vocabulary=20,batch=2"},
      {"mamba", "length=5,layers=2,hidden=16,states=4,vocabulary=20,batch=2"},
  };
  return small;
}

std::string small_spec(const std::string& name, const std::string& more) {
  return fmt::format("{}:{},{}", name, small_settings().at(name), more);
}

/// Random numbers, or for integers random choices from {0, 1}, which every vocabulary has.
std::vector<Datum> draw_model_inputs(const Model& model) {
  std::vector<Datum> data;
  for (const ValueId id : model.graph.inputs()) {
    const Value& value = model.graph.value(id);
    if (value.constant) break;  // weights and state follow the data
    Dims dims;
    for (const Dim d : value.type.shape) dims.push_back(d.value());
    Tensor tensor = Tensor::zeros(value.type.element, dims);
    Rng rng(hash_text(value.name));
    const bool real = is_floating(value.type.element);
    for (std::size_t i = 0; i < tensor.count(); ++i)
      tensor.set_number(i, real ? rng.uniform(-1, 1) : static_cast<double>(rng.below(2)));
    data.emplace_back(std::move(tensor));
  }
  return data;
}

/// Models that have no narrow variant: slow to run by definition, and where they normalise over a few pixels of a small
/// batch, too ill-conditioned for a step of training to be compared with its derivative. Smaller models use all their
/// operators.
std::vector<std::string> narrow_model_names() {
  std::vector<std::string> names = model_names();
  const std::set<std::string> wide{"resnet18",     "resnet50",        "resnet101",   "resnext50",
                                   "vgg19",        "mobilenet-v2",    "mnasnet",     "ssd-mobilenet",
                                   "inception-v3", "efficientnet-b0", "mobilenet-v3"};
  std::erase_if(names, [&](const std::string& name) { return wide.contains(name); });
  return names;
}

class ZooRunTest : public testing::TestWithParam<std::string> {};

TEST_P(ZooRunTest, RunsToFiniteOutputsOfTheDeclaredTypes) {
  const Model model = build_zoo(small_spec(GetParam(), "seed=3"));
  EXPECT_EQ(verify(model), std::nullopt);
  const std::vector<Datum> outputs = ReferenceInterpreter(model).run(draw_model_inputs(model));
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const Tensor& tensor = outputs[i].tensor();
    EXPECT_EQ(Type::tensor(tensor.type(), tensor.shape()), model.graph.value(model.graph.outputs()[i]).type);
    double spread = 0;
    for (std::size_t j = 0; j < tensor.count(); ++j) spread += std::abs(tensor.number_at(j));
    EXPECT_TRUE(std::isfinite(spread) && spread > 0);
  }
}

class ZooNarrowTest : public testing::TestWithParam<std::string> {};

TEST_P(ZooNarrowTest, RunsWithWeightsThatAreNodes) {
  const Model model = build_zoo(small_spec(GetParam(), "weights=splat"));
  const std::vector<Datum> outputs = ReferenceInterpreter(model).run(draw_model_inputs(model));
  EXPECT_TRUE(std::isfinite(outputs[0].tensor().number_at(0)));
}

/// Sum of the squared gradients behind an SGD step, from the change of the weights.
double squared_gradient(const Model& model, std::span<const Datum> weights_after, std::size_t first, double rate) {
  double sum = 0;
  for (std::size_t i = 0; i < weights_after.size(); ++i) {
    const Value& value = model.graph.value(model.graph.inputs()[first + i]);
    if (value.name.find("running_") != std::string::npos) continue;
    for (std::size_t j = 0; j < value.constant->count(); ++j) {
      const double gradient = (value.constant->number_at(j) - weights_after[i].tensor().number_at(j)) / rate;
      sum += gradient * gradient;
    }
  }
  return sum;
}

/// The new weights in the order of the inputs they replace, found by name.
std::vector<Datum> updated_state(const Model& model, std::span<const Datum> outputs, std::size_t first) {
  std::map<std::string, Datum> by_name;
  for (std::size_t i = 0; i < outputs.size(); ++i)
    by_name[model.graph.value(model.graph.outputs()[i]).name] = outputs[i];
  std::vector<Datum> state;
  for (const ValueId id : model.graph.inputs().subspan(first))
    state.push_back(by_name.at(model.graph.value(id).name + ".updated"));
  return state;
}

TEST_P(ZooNarrowTest, AStepAlongTheGradientLowersTheLossByItsSquare) {
  constexpr double kRate = 1e-7;
  const Model model =
      build_zoo(small_spec(GetParam(), fmt::format("dtype=double,training=true,learning_rate={}", kRate)));
  EXPECT_EQ(verify(model), std::nullopt);
  const ReferenceInterpreter interpreter(model);
  std::vector<Datum> data = draw_model_inputs(model);
  const std::size_t first = data.size();
  const std::vector<Datum> before = interpreter.run(data);
  const std::vector<Datum> state = updated_state(model, before, first);
  data.insert(data.end(), state.begin(), state.end());
  const double loss_before = before[0].tensor().number_at(0),
               loss_after = interpreter.run(data)[0].tensor().number_at(0);
  const double expected = squared_gradient(model, state, first, kRate);
  EXPECT_GT(expected, 0);
  EXPECT_NEAR((loss_before - loss_after) / kRate, expected, 0.01 * expected) << "loss " << loss_before;
}

TEST_P(ZooRunTest, HasTheTypesInferenceFinds) {
  for (const std::string more : {"weights=zero", "weights=zero,training=true,optimizer=adam"}) {
    Model model = build_zoo(small_spec(GetParam(), more));
    const Graph built = model.graph;
    infer_types(model);
    for (std::size_t i = 0; i < built.value_count(); ++i)
      ASSERT_EQ(text_of(built.value(ValueId(i)).type), text_of(model.graph.value(ValueId(i)).type))
          << built.value(ValueId(i)).name;
  }
}

std::string test_name(const std::string& spec) {
  std::string name = spec.substr(0, spec.find(':'));
  std::ranges::replace(name, '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Narrow, ZooNarrowTest, testing::ValuesIn(narrow_model_names()),
                         [](const auto& test) { return test_name(test.param); });

INSTANTIATE_TEST_SUITE_P(All, ZooRunTest, testing::ValuesIn(model_names()),
                         [](const auto& test) { return test_name(test.param); });

TEST(TrainingTest, AdamTrainsAPerceptronOnOneBatch) {
  const Model model = build_zoo(small_spec("deeprank", "training=true,optimizer=adam,learning_rate=0.01"));
  const ReferenceInterpreter interpreter(model);
  std::vector<Datum> data = draw_model_inputs(model);
  const std::size_t first = data.size();
  std::vector<double> losses;
  for (int step = 0; step < 20; ++step) {
    const std::vector<Datum> outputs = interpreter.run(data);
    losses.push_back(outputs[0].tensor().number_at(0));
    const std::vector<Datum> state = updated_state(model, outputs, first);
    data.resize(first);
    data.insert(data.end(), state.begin(), state.end());
  }
  EXPECT_LT(losses.back(), 0.9 * losses.front());
  EXPECT_EQ(model.graph.value(model.graph.inputs().back()).name.ends_with(".second_moment"), true);
}

TEST(TrainingTest, MarksTheBackwardPass) {
  const Model model = build_zoo(small_spec("rnnlm", "training=true"));
  std::map<std::string, int> passes;
  for (const NodeId id : model.graph.nodes()) {
    const Node& node = model.graph.node(id);
    ++passes[node.notes ? node.notes->metadata.at(0).second : "forward"];
  }
  EXPECT_GT(passes["backward"], passes["forward"]);
  EXPECT_GT(passes["update"], 0);
}

TEST(TrainingTest, ReachesTheSizesOfThePapers) {
  EXPECT_GT(build_zoo("gnmt:layers=8,training=true,weights=zero").graph.node_count(), 50000);
  Model larger = build_zoo("gnmt:layers=8,length=80,training=true,optimizer=adam,weights=zero");
  EXPECT_GT(larger.graph.node_count(), 80000);
  infer_types(larger);
  EXPECT_EQ(verify(larger), std::nullopt);
}

/// A standard model and its published arithmetic, a multiply-add counted as two.
struct PublishedWork {
  std::string spec;
  double gigaflops = 0;
};

class ZooFlopsTest : public testing::TestWithParam<PublishedWork> {};

/// Published figures count convolutions and matrix products only.
TEST_P(ZooFlopsTest, HasThePublishedArithmetic) {
  Model model = build_zoo(GetParam().spec + ":weights=zero");
  infer_types(model);
  double flops = 0;
  for (const NodeId id : model.graph.nodes()) {
    const OpEntry* entry = OpTable::instance().find(model.graph.node(id).op);
    if (entry->kind == OpKind::contraction) flops += node_cost(model.graph, id, model.opsets)->flops;
  }
  EXPECT_NEAR(flops / 1e9, GetParam().gigaflops, GetParam().gigaflops / 100);
}

INSTANTIATE_TEST_SUITE_P(Standard, ZooFlopsTest,
                         testing::Values(PublishedWork{"resnet18", 3.63}, PublishedWork{"resnet50", 8.18},
                                         PublishedWork{"resnext50", 8.46}, PublishedWork{"squeezenet", 0.70},
                                         PublishedWork{"vgg19", 39.3}, PublishedWork{"mobilenet-v2", 0.60},
                                         PublishedWork{"mnasnet", 0.63}, PublishedWork{"inception-v3", 11.4},
                                         PublishedWork{"efficientnet-b0", 0.77}, PublishedWork{"mobilenet-v3", 0.43},
                                         PublishedWork{"convnext", 8.91}, PublishedWork{"vit", 35.1}),
                         [](const auto& test) { return test_name(test.param.spec); });

}  // namespace
}  // namespace hone

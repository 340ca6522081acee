#include "zoo/dataset.h"

#include <gtest/gtest.h>

#include <set>

#include "base/error.h"

namespace hone::zoo {
namespace {

double total_seconds(const Workload& workload) {
  double total = 0;
  for (std::size_t i = 0; i < workload.operation_count(); ++i) total += workload.operation(OperationId(i)).seconds[0];
  return total;
}

std::size_t edge_count(const Workload& workload) {
  std::size_t edges = 0;
  for (std::size_t i = 0; i < workload.operation_count(); ++i) edges += workload.inputs(OperationId(i)).size();
  return edges;
}

/// The same graph with its operations listed the other way round.
Workload reversed(const Workload& workload) {
  WorkloadBuilder builder("reversed");
  for (std::size_t i = 0; i < workload.buffer_count(); ++i) {
    Buffer buffer = workload.buffer(BufferId(i));
    buffer.producer = OperationId();
    builder.add_buffer(buffer);
  }
  builder.set_device_kinds(workload.device_kinds);
  for (std::size_t i = workload.operation_count(); i-- > 0;)
    builder.add_operation(workload.operation(OperationId(i)), workload.inputs(OperationId(i)),
                          workload.outputs(OperationId(i)));
  return std::move(builder).build();
}

TEST(SyntheticTest, EveryFamilyMakesGraphsOfTheSizeAskedForTheSameForOneSeed) {
  for (std::size_t i = 0; i < kGraphFamilies; ++i) {
    const auto family = static_cast<GraphFamily>(i);
    Rng first(3), second(3);
    const Workload graph = synthetic_graph(family, 300, first);
    EXPECT_EQ(graph.operation_count(), 300u) << name_of(family);
    EXPECT_GT(edge_count(graph), 250u) << name_of(family);
    EXPECT_EQ(total_seconds(graph), total_seconds(synthetic_graph(family, 300, second)));
  }
}

TEST(SyntheticTest, ErdosRenyiHasTheEdgesItsProbabilityPromises) {
  Rng rng(1);
  double edges = 0;
  for (int i = 0; i < 20; ++i)
    edges += static_cast<double>(edge_count(synthetic_graph(GraphFamily::erdos_renyi, 400, rng)));
  EXPECT_NEAR(edges / 20 / (400 * 399 / 2), 0.05, 0.002);
}

TEST(SyntheticTest, SizesAreNormalAroundFifty) {
  Rng rng(2);
  const Workload graph = synthetic_graph(GraphFamily::layered, 5000, rng);
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < graph.buffer_count(); ++i) {
    const double bytes = graph.buffer(BufferId(i)).bytes;
    sum += bytes;
    squares += bytes * bytes;
  }
  const double mean = sum / 5000;
  EXPECT_NEAR(mean, 50, 0.6);
  EXPECT_NEAR(std::sqrt(squares / 5000 - mean * mean), 10, 0.6);
}

TEST(SyntheticTest, SmallestGraphsWork) {
  for (std::size_t i = 0; i < kGraphFamilies; ++i)
    for (std::size_t nodes = 2; nodes < 8; ++nodes) {
      Rng rng(nodes);
      EXPECT_EQ(synthetic_graph(static_cast<GraphFamily>(i), nodes, rng).operation_count(), nodes);
    }
}

TEST(SyntheticTest, TopologyHashSeesWiringAndNothingElse) {
  Rng rng(5), noise(6);
  const Workload graph = synthetic_graph(GraphFamily::barabasi_albert, 60, rng);
  EXPECT_EQ(topology_hash(graph), topology_hash(with_noise(graph, 0.3, noise)));
  EXPECT_EQ(topology_hash(graph), topology_hash(reversed(graph)));
  EXPECT_NE(topology_hash(graph), topology_hash(synthetic_graph(GraphFamily::barabasi_albert, 60, rng)));
}

TEST(SyntheticTest, NoiseChangesCostsAndKeepsTheMean) {
  Rng rng(8);
  const Workload graph = synthetic_graph(GraphFamily::watts_strogatz, 2000, rng);
  const Workload noisy = with_noise(graph, 0.2, rng);
  EXPECT_NE(noisy.operation(OperationId(7)).seconds[0], graph.operation(OperationId(7)).seconds[0]);
  EXPECT_NEAR(total_seconds(noisy) / total_seconds(graph), 1, 0.02);
}

TEST(DatasetTest, SplitsShareNoTopology) {
  const Dataset dataset(parse_recipe("synthetic:family=mixed,nodes=4-40,count=300,seed=2"));
  ASSERT_EQ(dataset.items().size(), 300u);
  std::set<std::uint64_t> topologies;
  for (const Dataset::Item& item : dataset.items()) {
    EXPECT_TRUE(topologies.insert(item.topology).second);
    EXPECT_EQ(item.split, split_of(item.topology));
  }
  const std::size_t train = dataset.items_of(Split::train).size();
  EXPECT_EQ(train + dataset.items_of(Split::valid).size() + dataset.items_of(Split::test).size(), 300u);
  EXPECT_NEAR(static_cast<double>(train), 180, 30);
}

TEST(DatasetTest, AnItemIsMadeAgainExactly) {
  const Dataset dataset(parse_recipe("synthetic:family=sbm,nodes=50,count=3,seed=9"));
  for (const Dataset::Item& item : dataset.items()) {
    EXPECT_EQ(topology_hash(dataset.graph(item)), item.topology);
    EXPECT_EQ(dataset.graph(item).operation_count(), 50u);
  }
}

TEST(DatasetTest, KeepsOnlyWhatTheFilterKeeps) {
  const DatasetRecipe recipe = parse_recipe("synthetic:nodes=10-30,count=20");
  const Dataset dataset(recipe, [](const Workload& graph) { return graph.operation_count() % 2 == 0; });
  for (const Dataset::Item& item : dataset.items()) EXPECT_EQ(dataset.graph(item).operation_count() % 2, 0u);
  EXPECT_THROW(Dataset(recipe, [](const Workload&) { return false; }), InputError);
}

TEST(DatasetTest, RefusesRecipesItDoesNotUnderstand) {
  for (const std::string_view text : {"zoo:bert", "synthetic:family=tree", "synthetic:nodes=1", "synthetic:nodes=9-3",
                                      "synthetic:nodes=abc", "synthetic:count=0", "synthetic:colour=red"})
    EXPECT_THROW(parse_recipe(text), InputError) << text;
}

}  // namespace
}  // namespace hone::zoo

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "base/error.h"
#include "base/random.h"
#include "formats/foreign/cost_graph.h"
#include "formats/foreign/doppler.h"
#include "formats/foreign/fiddle.h"
#include "formats/foreign/format.h"
#include "formats/foreign/iopddl.h"
#include "formats/foreign/minimalloc.h"
#include "formats/foreign/pipedream.h"
#include "formats/foreign/stg.h"

namespace hone {
namespace {

constexpr std::string_view kStg = R"(  2
  0  0  0
  1  9  1  0
  2  4  1  0
  3  0  2  1  2
# Task graph
)";

constexpr std::string_view kCostGraph = R"(# REGAL's form
node {
  name: "_SOURCE"
  id: 0
  output_info { size: 70 alias_input_port: -1 shape { dim { size: 2 } unknown_rank: true } dtype: DT_FLOAT }
}
node {
  name: "b"  "c"
  id: 5
  device: '/device:GPU:0'
  input_info { preceding_node: 7 preceding_port: 1 }
  input_info { preceding_node: 0 }
  output_info { size: 70 alias_input_port: 1 }
  control_input: [0, 7]
  compute_cost: 47
  is_final: true
}
node <
  name: "d", id: 7; input_info { preceding_node: 0 }
  output_info { size: 52 alias_input_port: -1 } output_info { size: 8 alias_input_port: -1 }
  temporary_memory_size: 100 persistent_memory_size: 1000 compute_cost: 58
>
)";

constexpr std::string_view kFiddle = R"({"maxSizePerFPGA": 1000.0, "maxFPGAs": 6, "maxCPUs": 1, "nodes": [
  {"name": "a", "id": 10, "supportedOnFpga": 1, "cpuLatency": 6.5, "fpgaLatency": 0.5, "isBackwardNode": 0, "colorClass": 0, "size": 128},
  {"id": 3, "supportedOnFpga": false, "cpuLatency": 1, "fpgaLatency": 1, "isBackwardNode": true, "extra": [1, {"x": null}], "size": 2e3}],
  "edges": [{"sourceId": 10, "destId": 3, "cost": 0.25, "size": 4.0}]})";

constexpr std::string_view kPipedream =
    "node1 -- Input0 -- forward_compute_time=0.000, backward_compute_time=0.000, activation_size=0.0, "
    "parameter_size=0.000\n"
    "node2 -- LSTM(8 -- 8, bias=True) -- forward_compute_time=2.000, backward_compute_time=3.000, "
    "activation_size=[60.0; 4.0], "
    "parameter_size=500.000\n"
    "\tnode1 -- node2\n";

constexpr std::string_view kMinimalloc = "size,id,lower,upper,extra\n16,x,0,3,1\n8,y,1,9,2\n";

constexpr std::string_view kIopddl = R"({"problem": {"name": "example", "usage_limit": 50,
  "nodes": {"intervals": [[30, 70], [40, 70]], "costs": [[15], [55, 65]], "usages": [[10], [25, 26]]},
  "edges": {"nodes": [[0, 1]], "costs": [[30, 40]]}}})";

constexpr std::string_view kDoppler = "5\n0, 1,\n0, 0, 1\n1,2, 2\n10000000000,5\n7,40000000000\n1,1,einsum\n";

std::string error_of(const std::function<void()>& run) {
  try {
    run();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(StgTest, ReadsTimesAndOrder) {
  const Workload workload = parse_stg(kStg, "t.stg");
  ASSERT_EQ(workload.operation_count(), 4u);
  EXPECT_EQ(workload.operation(OperationId(1)).seconds, std::vector{9.0});
  EXPECT_EQ(workload.inputs(OperationId(3)).size(), 2u);
  EXPECT_EQ(workload.buffer(BufferId(0)).bytes, 0);
}

TEST(StgTest, NamesWhereItStopped) {
  EXPECT_EQ(error_of([] { parse_stg("1\n0 0 0\n1 x 1 0\n", "t.stg"); }),
            "t.stg:3:3: 'x' is no amount, expected the time of a task");
  EXPECT_EQ(error_of([] { parse_stg("1\n0 0 0\n1 5 1 9\n", "t.stg"); }),
            "t.stg:3:7: '9' is no number between 0 and 2, expected a predecessor");
  EXPECT_EQ(error_of([] { parse_stg("1\n0 0 0\n", "t.stg"); }),
            "t.stg:3:1: the text ends, expected the number of the next task");
  EXPECT_NE(error_of([] { parse_stg("1\n0 0 1 2\n1 5 1 0\n2 0 1 1\n", "t.stg"); }).find("depends on itself"),
            std::string::npos);
}

TEST(DopplerTest, ReadsCostsAndEdgesWithoutInputs) {
  const Workload workload = parse_doppler(kDoppler, "d.txt");
  ASSERT_EQ(workload.operation_count(), 3u);
  EXPECT_EQ(workload.operation(OperationId(0)).seconds, std::vector{1.0});
  EXPECT_EQ(workload.buffer(BufferId(1)).transfer_seconds, 4);
  EXPECT_EQ(workload.inputs(OperationId(2)).size(), 2u);
  EXPECT_EQ(workload.operation(OperationId(1)).op, "task");
  EXPECT_EQ(workload.operation(OperationId(2)).op, "einsum");
}

TEST(DopplerTest, NamesWhatIsWrong) {
  EXPECT_EQ(error_of([] { parse_doppler("3\n0\n0\n7\n1,1\n", "d"); }),
            "d:4: '7' is no number below 2, expected the end of an edge");
  EXPECT_EQ(error_of([] { parse_doppler("4\n0\n0, 1\n1\n1,1\n1,1\n1,1\n", "d"); }), "d:4: 2 edges begin but 1 end");
  EXPECT_EQ(error_of([] { parse_doppler("3\n0\n0\n1\n1,1\n", "d"); }), "d:6: the graph ends before its last node");
  EXPECT_EQ(error_of([] { parse_doppler("1\n0,\n\n\n", "d"); }), "d:2: all of 1 nodes are inputs");
  EXPECT_NE(error_of([] { parse_doppler("3\n0\n0\n1\n1,x\n2,2\n", "d"); }).find("d:5"), std::string::npos);
}

TEST(CostGraphTest, ReadsNodesInAnyOrder) {
  const Workload workload = parse_cost_graph(kCostGraph, "g.pbtxt");
  ASSERT_EQ(workload.operation_count(), 3u);
  const Operation& middle = workload.operation(OperationId(1));
  EXPECT_EQ(middle.name, "bc");
  EXPECT_DOUBLE_EQ(middle.seconds[0], 47e-6);
  const BufferId output = workload.outputs(OperationId(1))[0];
  EXPECT_TRUE(workload.buffer(output).is_output);
  EXPECT_EQ(workload.buffer(output).alias_of, workload.outputs(OperationId(0))[0]);
  EXPECT_EQ(workload.topological_order().back(), OperationId(1));
  double last_bytes = 0, weight_bytes = 0;
  for (const BufferId id : workload.outputs(OperationId(2))) last_bytes += workload.buffer(id).bytes;
  for (const BufferId id : workload.inputs(OperationId(2)))
    if (workload.buffer(id).kind == Buffer::Kind::weight) weight_bytes += workload.buffer(id).bytes;
  EXPECT_EQ(last_bytes, 52 + 8 + 100);
  EXPECT_EQ(weight_bytes, 1000);
}

TEST(CostGraphTest, AMissingAliasPortMeansTheFirstInput) {
  const Workload workload = parse_cost_graph(
      "node { name: 'a' output_info { size: 4 } } node { name: 'b' id: 1 input_info { } output_info { size: 4 } }",
      "g");
  EXPECT_FALSE(workload.buffer(BufferId(0)).alias_of.valid());
  EXPECT_EQ(workload.buffer(BufferId(1)).alias_of, BufferId(0));
}

TEST(CostGraphTest, NamesWhatIsWrong) {
  EXPECT_EQ(error_of([] { parse_cost_graph("node {\n  id: x\n}", "g"); }),
            "g:2:7: found something else, expected a whole number");
  EXPECT_NE(error_of([] { parse_cost_graph("node { input_info { preceding_node: 4 } }", "g"); }).find("node 4"),
            std::string::npos);
  EXPECT_NE(error_of([] {
              parse_cost_graph("node { id: 0 output_info {} } node { id: 1 input_info { preceding_port: 3 } }", "g");
            }).find("port 3"),
            std::string::npos);
  const std::string deep = "node { x " + std::string(100000, '{');
  EXPECT_NE(error_of([&] { parse_cost_graph(deep, "g"); }), "");
}

TEST(FiddleTest, ReadsTwoTimesMemoryAndTransfers) {
  const FiddleProblem problem = parse_fiddle(kFiddle, "f.json");
  EXPECT_EQ(problem.accelerators, 6);
  EXPECT_EQ(problem.cpus, 1);
  EXPECT_EQ(problem.accelerator_bytes, 1000);
  const Workload& workload = problem.workload;
  ASSERT_EQ(workload.operation_count(), 2u);
  EXPECT_DOUBLE_EQ(workload.operation(OperationId(0)).seconds[0], 6.5e-3);
  EXPECT_DOUBLE_EQ(workload.operation(OperationId(0)).seconds[1], 0.5e-3);
  EXPECT_TRUE(std::isnan(workload.operation(OperationId(1)).seconds[1]));
  EXPECT_EQ(workload.operation(OperationId(0)).colocate, 1u);
  EXPECT_EQ(workload.operation(OperationId(1)).colocate, 0u);
  EXPECT_TRUE(workload.operation(OperationId(1)).backward);
  EXPECT_DOUBLE_EQ(workload.buffer(workload.outputs(OperationId(0))[0]).transfer_seconds, 0.25e-3);
  EXPECT_EQ(workload.buffer(workload.inputs(OperationId(0))[0]).bytes, 128);
}

TEST(FiddleTest, NamesWhatIsWrong) {
  EXPECT_EQ(error_of([] { parse_fiddle("{\"nodes\": [{\"id\": true}]}", "f"); }),
            "f:1:19: found something else, expected a finite number");
  EXPECT_NE(error_of([] {
              parse_fiddle(R"({"nodes": [{"id": 1}], "edges": [{"sourceId": 1, "destId": 2}]})", "f");
            }).find("node 2"),
            std::string::npos);
  EXPECT_NE(error_of([] { parse_fiddle(R"({"nodes": [{"id": 1}, {"id": 1}]})", "f"); }).find("second node"),
            std::string::npos);
  EXPECT_NE(error_of([] { parse_fiddle(std::string(100000, '['), "f"); }), "");
  EXPECT_NE(error_of([] { parse_fiddle("{\"x\": " + std::string(100000, '['), "f"); }).find("nested"),
            std::string::npos);
}

TEST(PipedreamTest, MakesForwardAndBackwardOperationOfALayer) {
  const Workload workload = parse_pipedream(kPipedream, "p.txt");
  ASSERT_EQ(workload.operation_count(), 4u);
  const Operation& forward = workload.operation(OperationId(1));
  const Operation& backward = workload.operation(OperationId(3));
  EXPECT_EQ(forward.op, "LSTM");
  EXPECT_DOUBLE_EQ(forward.seconds[0], 2e-3);
  EXPECT_DOUBLE_EQ(backward.seconds[0], 3e-3);
  EXPECT_TRUE(backward.backward);
  EXPECT_EQ(forward.colocate, backward.colocate);
  EXPECT_EQ(workload.buffer(workload.outputs(OperationId(1))[0]).bytes, 64);
}

TEST(PipedreamTest, NamesWhatIsWrong) {
  EXPECT_EQ(error_of([] { parse_pipedream("\tnode1 -- node2\n", "p"); }),
            "p:1: there is no layer 'node1', expected 'nodeA -- nodeB'");
  EXPECT_EQ(error_of([] { parse_pipedream("n -- x -- parameter_size=q", "p"); }),
            "p:1: 'q' is no amount, expected bytes");
  EXPECT_NE(error_of([] { parse_pipedream("", "p"); }).find("no layers"), std::string::npos);
}

TEST(MinimallocTest, ReadsColumnsByName) {
  const std::vector<MemoryBuffer> buffers = parse_minimalloc(kMinimalloc, "m.csv").buffers;
  ASSERT_EQ(buffers.size(), 2u);
  EXPECT_EQ(buffers[1], (MemoryBuffer{.name = "y", .lower = 1, .upper = 9, .size = 8}));
}

TEST(MinimallocTest, NamesWhatIsWrong) {
  EXPECT_NE(error_of([] { parse_minimalloc("id,lower,size\n", "m"); }).find("m:1: no column 'upper'"),
            std::string::npos);
  EXPECT_NE(error_of([] { parse_minimalloc("id,lower,upper,size\na,5,5,1\n", "m"); }).find("m:2: buffer 'a'"),
            std::string::npos);
  EXPECT_NE(error_of([] { parse_minimalloc("id,lower,upper,size\na,5\n", "m"); }).find("too few"), std::string::npos);
}

TEST(IopddlTest, ReadsStrategiesAndEdges) {
  const ShardingProblem problem = parse_iopddl(kIopddl, "i.json");
  EXPECT_EQ(problem.name, "example");
  EXPECT_EQ(problem.usage_limit, 50);
  ASSERT_EQ(problem.nodes.size(), 2u);
  EXPECT_EQ(problem.nodes[1].strategies[1].usage, 26);
  ASSERT_EQ(problem.edges.size(), 1u);
  EXPECT_EQ(problem.edges[0].costs, (std::vector<std::int64_t>{30, 40}));
}

TEST(IopddlTest, RefusesEdgesThatDoNotFit) {
  std::string text(kIopddl);
  text.replace(text.find("[[0, 1]]"), 8, "[[0, 7]]");
  EXPECT_NE(error_of([&] { parse_iopddl(text, "i"); }).find("does not join"), std::string::npos);
}

TEST(FormatTest, TellsFilesApartByTheirContents) {
  EXPECT_EQ(detect_format("// note\nHloModule m\n"), ForeignFormat::hlo);
  EXPECT_EQ(detect_format(kStg), ForeignFormat::stg);
  EXPECT_EQ(detect_format(kCostGraph), ForeignFormat::cost_graph);
  EXPECT_EQ(detect_format(kFiddle), ForeignFormat::fiddle);
  EXPECT_EQ(detect_format(kPipedream), ForeignFormat::pipedream);
  EXPECT_EQ(detect_format(kDoppler), ForeignFormat::doppler);
  EXPECT_EQ(detect_format(kMinimalloc), ForeignFormat::minimalloc);
  EXPECT_EQ(detect_format(kIopddl), ForeignFormat::iopddl);
  EXPECT_EQ(detect_format("hello"), ForeignFormat::unknown);
  EXPECT_EQ(detect_format(""), ForeignFormat::unknown);
}

/// Runs a reader over random edits and all truncations of a text; only an InputError may come out.
template <class Read>
void survive_mutations(std::string_view text, Read read) {
  Rng rng(11);
  static constexpr std::string_view kPieces[] = {
      "{",     "}",   "[",    "]",  "<", ">", ",",     ":",  "\"",  "0", "-1", "99999999999999999999",
      "1e400", "nan", " -- ", "\n", "=", "#", "node1", "id", "true"};
  const auto attempt = [&](const std::string& changed) {
    try {
      read(changed);
    } catch (const InputError& error) {
      EXPECT_TRUE(std::string_view(error.what()).starts_with("file")) << error.what();
    }
  };
  for (std::size_t length = 0; length < text.size(); ++length) attempt(std::string(text.substr(0, length)));
  for (int trial = 0; trial < 2000; ++trial) {
    std::string changed(text);
    for (std::uint64_t edits = 1 + rng.below(3); edits > 0; --edits)
      changed.replace(rng.below(changed.size()), rng.below(5), kPieces[rng.below(std::size(kPieces))]);
    attempt(changed);
  }
}

TEST(ForeignTest, NoMutationCrashesAReader) {
  survive_mutations(kStg, [](const std::string& text) { parse_stg(text, "file"); });
  survive_mutations(kCostGraph, [](const std::string& text) { parse_cost_graph(text, "file"); });
  survive_mutations(kFiddle, [](const std::string& text) { parse_fiddle(text, "file"); });
  survive_mutations(kPipedream, [](const std::string& text) { parse_pipedream(text, "file"); });
  survive_mutations(kDoppler, [](const std::string& text) { parse_doppler(text, "file"); });
  survive_mutations(kMinimalloc, [](const std::string& text) { parse_minimalloc(text, "file"); });
  survive_mutations(kIopddl, [](const std::string& text) { parse_iopddl(text, "file"); });
}

}  // namespace
}  // namespace hone

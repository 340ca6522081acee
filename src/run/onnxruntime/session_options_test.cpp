#include "run/onnxruntime/session_options.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "graph/clean/clean_case_test.h"
#include "run/onnxruntime/moves.h"

namespace hone::ort {
namespace {

TEST(SessionOptionsTest, TheyHaveTheNamesOfTheRuntime) {
  const SessionOptions session{.level = OptimizationLevel::basic, .disabled_optimizers = {"A", "B"}};
  const auto json = session_json(session, 2);
  EXPECT_EQ(json["graph_optimization_level"], "ORT_ENABLE_BASIC");
  EXPECT_EQ(json["session_config_entries"]["optimization.disable_specified_optimizers"], "A;B");
  const std::string snippet = session_snippet(json, "m.onnx");
  EXPECT_NE(snippet.find("options.intra_op_num_threads = 2"), std::string::npos);
  EXPECT_NE(snippet.find("GraphOptimizationLevel.ORT_ENABLE_BASIC"), std::string::npos);
}

TEST(SessionOptionsTest, ParametersOfTheRuntimeAreItsOptionsUnlessOthersAreGiven) {
  const auto runtime = RuntimeKind::make_by("onnxruntime:level=Basic,disable=A;B");
  EXPECT_EQ(runtime->describe({}, 2),
            session_json({.level = OptimizationLevel::basic, .disabled_optimizers = {"A", "B"}}, 2));
  EXPECT_EQ(runtime->describe(RuntimeOptions::holding(SessionOptions{}), 1), session_json({}, 1));
  EXPECT_THROW(RuntimeKind::make_by("onnxruntime:level=most"), InputError);
}

TEST(SessionOptionsTest, AMoveThatChangesNothingGivesNothing) {
  const auto runtime = RuntimeKind::make_by("onnxruntime");
  const Model model = typed_model("g (float[2,2] x) => (y) { y = MatMul(x, x) }");
  for (const OptionMove& move : runtime->moves(model, 2, OptionRange::all)) {
    const std::optional<RuntimeOptions> once = move.apply({});
    ASSERT_TRUE(once) << move.name;
    EXPECT_NE(*once, RuntimeOptions()) << move.name;
    EXPECT_NE(runtime->describe(*once, 2), runtime->describe({}, 2)) << move.name;
    EXPECT_FALSE(move.apply(*once)) << move.name;
  }
}

TEST(SessionOptionsTest, OnlyOptimizersWithSomethingToDoAreTried) {
  const auto names = [](const char* graph) {
    std::string text;
    for (const SessionChange& change : session_changes(typed_model(graph), 1, OptionRange::likely))
      text += change.name + ";";
    return text;
  };
  EXPECT_EQ(names("g (float[2] x) => (y) { y = Exp(x) }"), "level extended;level basic;");
  EXPECT_NE(names("g (float[2,2] x) => (y) { y = MatMul(x, x) }").find("without MatMulAddFusion"), std::string::npos);
}

}  // namespace
}  // namespace hone::ort

#include "deliver/plan_moves.h"

#include <gtest/gtest.h>

#include "graph/ir/parse.h"
#include "graph/ops/infer.h"
#include "run/verify/compare.h"
#include "run/verify/inputs.h"

namespace hone {
namespace {

Model pointwise_model() {
  Model model = parse_model(R"(<ir_version: 8, opset_import: ["" : 18]>
    net (float[64,96] x) => (float[64,96] y, float[64,1] s) <int64[1] axes = {1}> {
      a = Relu(x) b = Exp(a) c = Sigmoid(b) d = Mul(c, a) s = ReduceSum(d, axes) e = Sub(d, s) y = Tanh(e)
    })",
                            "test");
  infer_types(model);
  return model;
}

PlanMoveRequest request_on(const std::string& runtime) {
  return {.runtime = RuntimeKind::named(runtime).make(""),
          .made_static =
              [](const Model& model) {
                Model typed = model;
                infer_types(typed);
                return typed;
              },
          .input_files = {},
          .measuring_seconds = [] { return 0.5; }};
}

std::vector<Datum> outputs_of(const Runtime& runtime, const Model& model, const RuntimeOptions& options) {
  const auto host = runtime.start(1);
  const auto prepared = host->prepare({model, {}}, options);
  prepared->set_inputs(given_inputs(model, {}, 0));
  return prepared->outputs();
}

TEST(PlanMovesTest, ARuntimeThatObeysNoPlansHasNone) { EXPECT_TRUE(plan_moves(request_on("reference")).empty()); }

TEST(PlanMovesTest, EveryMoveGivesAPlanThatComputesTheSame) {
  const PlanMoveRequest request = request_on("native");
  const Proposal start{.model = std::make_shared<const Model>(pointwise_model()), .options = {}, .steps = {}};
  const std::vector<Datum> expected = outputs_of(*request.runtime, *start.model, {});
  const std::vector<Move> moves = plan_moves(request);
  ASSERT_EQ(moves.size(), 5U);
  Proposal all = start;
  for (const Move& move : moves) {
    SCOPED_TRACE(move.name);
    EXPECT_EQ(move.kind, Move::Kind::option);
    const std::optional<Proposal> alone = move.apply(start), on_top = move.apply(all);
    ASSERT_TRUE(alone && on_top);
    EXPECT_EQ(alone->steps.back().part, Part::plan);
    all = *on_top;
    for (const Proposal& proposal : {*alone, all}) {
      const std::vector<Datum> found = outputs_of(*request.runtime, *proposal.model, proposal.options);
      for (std::size_t i = 0; i < found.size(); ++i) {
        const Difference difference = compare(found[i], expected[i], Tolerance{1e-5, 1e-5});
        EXPECT_TRUE(difference.within) << "output " << i << ": " << difference.reason;
      }
    }
  }
}

}  // namespace
}  // namespace hone

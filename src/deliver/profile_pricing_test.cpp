#include "deliver/profile_pricing.h"

#include <gtest/gtest.h>

#include "graph/clean/clean_case_test.h"
#include "plan/machine/machine_file.h"
#include "rewrite/rules/match.h"
#include "rewrite/search/space.h"
#include "run/profile/node_config.h"

namespace hone {
namespace {

TEST(ProfilePricingTest, KnownNodesCostWhatTheyTookAndOthersWhatTheRooflineSays) {
  const Model model = typed_model("g (float[4,8] x) => (y) { a = Relu(x) y = Neg(a) }");
  const NodeId relu = model.graph.nodes()[0], neg = model.graph.nodes()[1];
  OperatorTimings timings{.context = {.hardware = "some", .runtime = "some", .threads = 1}, .calibration = 3};
  timings.table.add({.context = timings.context, .config = node_config(model, relu), .seconds = 0.25, .samples = 1});
  const ProfilePricing pricing(timings, model, {});
  const RooflinePricing roofline(load_machine("cpu-gpu"), model.opsets);
  const RewriteSpace profiled(model, Matcher({}, RuleSetting::of(model)), pricing);
  const RewriteSpace plain(model, Matcher({}, RuleSetting::of(model)), roofline);
  EXPECT_EQ(profiled.node_seconds(model.graph, relu), 0.25);
  EXPECT_EQ(profiled.node_seconds(model.graph, neg), 3 * plain.node_seconds(model.graph, neg));
  EXPECT_EQ(pricing.unknown().model.graph.node_count(), 1u);
}

}  // namespace
}  // namespace hone

#include "learn/policy/card.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/error.h"
#include "learn/policy/plan_policy.h"
#include "learn/policy/policy.h"

namespace hone {
namespace {

TEST(PolicyCard, SaysNothingOfTheFirstEncoderAndHead) {
  EXPECT_EQ(&policy_kind_in({}, "test"), &stepwise_policy());
  Safetensors contents = stepwise_policy().draw_networks({}, 1);
  contents.metadata.erase("encoder");
  EXPECT_EQ(shape_in(contents, "", "test").encoder, &message_encoder);
}

TEST(PolicyCard, IsReadBack) {
  const PolicyKind& kind = PolicyKind::named("independent");
  const Safetensors contents = kind.draw_networks({.width = 5, .rounds = 3, .encoder = &sequence_encoder}, 1);
  EXPECT_EQ(&policy_kind_in(contents, "test"), &kind);
  const NetworkShape shape = shape_in(contents, "moves.", "test");
  EXPECT_EQ(shape.encoder, &sequence_encoder);
  EXPECT_EQ(shape.width, 5U);
  EXPECT_EQ(shape.rounds, 3U);
}

TEST(PolicyCard, AnUnknownEncoderIsRefusedInOneSentence) {
  Safetensors contents = stepwise_policy().draw_networks({}, 1);
  contents.metadata["encoder"] = "crystal-ball";
  try {
    const Policy policy(contents, "some.safetensors");
    FAIL() << "was taken";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "some.safetensors: the policy has the encoder 'crystal-ball', but this hone knows only 'edges', "
                 "'graphsage', 'messages', 'sequence'");
  }
}

TEST(PolicyCard, AnUnknownHeadIsRefused) {
  Safetensors contents = stepwise_policy().draw_networks({}, 1);
  contents.metadata["head"] = "two";
  EXPECT_THROW(Policy(contents, "test"), InputError);
}

Safetensors usable_contents() {
  Safetensors contents = stepwise_policy().draw_networks({}, 1);
  return contents;
}

TEST(PolicyCard, TellsWhetherWeightsHaveChangedSinceItWasWritten) {
  Safetensors contents = usable_contents();
  EXPECT_EQ(is_intact(contents), std::nullopt);
  seal(contents);
  EXPECT_EQ(is_intact(contents), true);
  EXPECT_NO_THROW(Policy(contents, "test"));
  contents.arrays["wait"].values[0] += 1;
  EXPECT_EQ(is_intact(contents), false);
  EXPECT_THROW(Policy(contents, "test"), InputError);
}

TEST(PolicyCard, WeightsThatAreNotFiniteAreRefused) {
  for (const char* name : {"embed.weight", "moves.round1.bias", "wait"}) {
    Safetensors contents = usable_contents();
    contents.arrays[name].values.back() = std::numeric_limits<float>::quiet_NaN();
    EXPECT_THROW(Policy(contents, "test"), InputError) << name;
  }
}

TEST(PolicyCard, ArraysOfAnotherEncoderAreRefusedOrNotLookedAt) {
  Safetensors contents = stepwise_policy().draw_networks({.encoder = &sequence_encoder}, 1);
  EXPECT_EQ(Policy(contents, "test").parts().front().shape.rounds, 2U);
  contents.arrays["round0.forward.state"].shape = {32, 96};
  EXPECT_THROW(Policy(contents, "test"), InputError);
  contents.arrays.erase("round0.forward.state");
  EXPECT_THROW(Policy(contents, "test"), InputError);
}

}  // namespace
}  // namespace hone

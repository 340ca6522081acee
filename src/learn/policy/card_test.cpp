#include "learn/policy/card.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/error.h"
#include "learn/policy/policy.h"

namespace hone {
namespace {

TEST(PolicyCard, SaysNothingOfTheFirstEncoderAndHead) {
  EXPECT_EQ(encoder_of({}, "test"), Encoder::messages);
  EXPECT_EQ(head_of({}, "test"), Head::autoregressive);
}

TEST(PolicyCard, IsReadBack) {
  Safetensors contents;
  describe(contents, Encoder::sequence, Head::independent);
  EXPECT_EQ(encoder_of(contents, "test"), Encoder::sequence);
  EXPECT_EQ(head_of(contents, "test"), Head::independent);
}

TEST(PolicyCard, AnUnknownEncoderIsRefusedInOneSentence) {
  Safetensors contents = untrained_networks({}, 1);
  contents.metadata["schema"] = std::string(kFeatureSchema);
  contents.metadata["encoder"] = "crystal-ball";
  try {
    const Policy policy(contents, "some.safetensors");
    FAIL() << "was taken";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "some.safetensors: the policy has the encoder 'crystal-ball', but this hone knows only 'messages' and "
                 "'sequence'");
  }
}

TEST(PolicyCard, AnUnknownHeadIsRefused) {
  Safetensors contents = untrained_networks({}, 1);
  contents.metadata["schema"] = std::string(kFeatureSchema);
  contents.metadata["head"] = "two";
  EXPECT_THROW(Policy(contents, "test"), InputError);
}

Safetensors usable_contents() {
  Safetensors contents = untrained_networks({}, 1);
  contents.metadata["schema"] = std::string(kFeatureSchema);
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
  Safetensors contents = untrained_networks({.encoder = Encoder::sequence}, 1);
  contents.metadata["schema"] = std::string(kFeatureSchema);
  EXPECT_EQ(Policy(contents, "test").plans().rounds(), 2U);
  contents.arrays["round0.forward.state"].shape = {32, 96};
  EXPECT_THROW(Policy(contents, "test"), InputError);
  contents.arrays.erase("round0.forward.state");
  EXPECT_THROW(Policy(contents, "test"), InputError);
}

}  // namespace
}  // namespace hone

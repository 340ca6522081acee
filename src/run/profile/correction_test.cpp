#include "run/profile/correction.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"

namespace hone {
namespace {

MeasuredGraph graph(Rng& rng) {
  MeasuredGraph made;
  made.features.sum_seconds = rng.uniform(1e-3, 1);
  for (double& share : made.features.shares) share = rng.uniform();
  made.seconds =
      made.features.sum_seconds * std::exp(0.1 + 0.2 * made.features.shares[0] - 0.1 * made.features.shares[1]);
  return made;
}

TEST(CorrectionTest, WithoutTrainingItIsTheSum) {
  EXPECT_DOUBLE_EQ(Correction().predict_seconds({.sum_seconds = 3}), 3);
  EXPECT_DOUBLE_EQ(Correction::fit({}).predict_seconds({.sum_seconds = 3}), 3);
}

TEST(CorrectionTest, LearnsWhatOtherGraphsShow) {
  Rng rng(1);
  std::vector<MeasuredGraph> graphs;
  for (int i = 0; i < 20; ++i) graphs.push_back(graph(rng));
  const Correction correction = Correction::fit(graphs);
  const MeasuredGraph unseen = graph(rng);
  EXPECT_NEAR(correction.predict_seconds(unseen.features) / unseen.seconds, 1, 0.02);
}

TEST(CorrectionTest, OneGraphFarOffDoesNotSpoilTheRest) {
  Rng rng(2);
  std::vector<MeasuredGraph> graphs;
  for (int i = 0; i < 20; ++i) graphs.push_back(graph(rng));
  graphs[3].seconds *= 5;
  const MeasuredGraph unseen = graphs.back();
  graphs.pop_back();
  EXPECT_NEAR(Correction::fit(graphs).predict_seconds(unseen.features) / unseen.seconds, 1, 0.04);
}

TEST(CorrectionTest, CorrectsLessTheFartherAGraphIsFromThoseSeen) {
  Rng rng(3);
  std::vector<MeasuredGraph> graphs;
  for (int i = 0; i < 20; ++i) graphs.push_back(graph(rng));
  const Correction correction = Correction::fit(graphs);
  const auto corrected_at = [&](double share) {
    return correction.predict_seconds({.sum_seconds = 1, .shares = {share, 0, 0}});
  };
  EXPECT_GT(corrected_at(1), std::exp(0.2));
  EXPECT_LT(corrected_at(2), corrected_at(1));
  EXPECT_LT(corrected_at(4), corrected_at(2));
  EXPECT_NEAR(corrected_at(1e9), 1, 1e-6);
}

TEST(CorrectionTest, FeaturesNeedATiming) {
  const GraphProfile profile{.nodes = {{.config = "Relu"}}};
  EXPECT_THROW(features_of(profile, {}, ProfileTable()), InputError);
}

}  // namespace
}  // namespace hone

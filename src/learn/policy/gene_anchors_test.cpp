#include "learn/policy/gene_anchors.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace hone {
namespace {

constexpr std::size_t kHeadOfDeviceMeans = 0;

/// Two operations at the two ends of both orders.
GeneFeatures ends(float weighted) { return {.places = {-0.5F, -0.5F, 0.5F, 0.5F}, .weighted = weighted}; }

std::vector<float> said_by(const std::vector<float>& anchors, const GeneFeatures& features) {
  std::vector<float> rows(features.places.size() / kGenePlaces * kGeneOutputs);
  add_anchors(rows, anchors, features);
  return rows;
}

/// The option of a softmax that a node is most likely to take.
std::size_t likeliest(const std::vector<float>& rows, std::size_t node, std::size_t head) {
  const auto outputs =
      std::span(rows).subspan(node * kGeneOutputs + gene_heads()[head].first, gene_heads()[head].options);
  return static_cast<std::size_t>(std::ranges::max_element(outputs) - outputs.begin());
}

TEST(GeneAnchors, AtFirstTheyAreThePlainGeneticAlgorithm) {
  const std::vector<float> rows = said_by(first_anchors(), ends(1));
  const GeneChoice standard = standard_choice();
  for (std::size_t node = 0; node < 2; ++node)
    for (std::size_t head = 0; head < kGeneHeads; ++head)
      EXPECT_EQ(likeliest(rows, node, head), standard[head]) << head;
}

TEST(GeneAnchors, MeansFollowThePlaceOfAnOperation) {
  std::vector<float> anchors = first_anchors();
  anchors[1] = 0.8F / unit_of_anchor(1);  // devices, along the weights
  const std::vector<float> rows = said_by(anchors, ends(0));
  EXPECT_FLOAT_EQ(kGeneMeans[likeliest(rows, 0, kHeadOfDeviceMeans)], 0.1F);
  EXPECT_FLOAT_EQ(kGeneMeans[likeliest(rows, 1, kHeadOfDeviceMeans)], 0.9F);
  EXPECT_EQ(likeliest(rows, 1, gene_head(GeneKind::priority, GeneAspect::mean)),
            standard_choice()[gene_head(GeneKind::priority, GeneAspect::mean)]);
}

TEST(GeneAnchors, TheSecondPartCountsTheMoreTheMoreBytesAreWeights) {
  std::vector<float> anchors = first_anchors();
  anchors[kGeneKinds * kAnchorTerms + 1] = 0.8F / unit_of_anchor(1);
  EXPECT_FLOAT_EQ(kGeneMeans[likeliest(said_by(anchors, ends(1)), 1, kHeadOfDeviceMeans)], 0.9F);
  EXPECT_FLOAT_EQ(kGeneMeans[likeliest(said_by(anchors, ends(0)), 1, kHeadOfDeviceMeans)], 0.5F);
  EXPECT_FLOAT_EQ(kGeneMeans[likeliest(said_by(anchors, ends(-1)), 1, kHeadOfDeviceMeans)], 0.1F);
}

}  // namespace
}  // namespace hone

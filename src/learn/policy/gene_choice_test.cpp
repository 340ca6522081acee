#include "learn/policy/gene_choice.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(GeneChoice, TheStandardIsThePlainGeneticAlgorithm) {
  for (const GeneKind kind : {GeneKind::device, GeneKind::priority, GeneKind::transfer}) {
    const GeneGuidance::Beta beta = beta_of(standard_choice(), kind);
    EXPECT_FLOAT_EQ(beta.alpha, 1);
    EXPECT_FLOAT_EQ(beta.beta, 1);
    EXPECT_FLOAT_EQ(bias_of(standard_choice(), kind), 0.7F);
  }
}

TEST(GeneChoice, DistributionsHaveTheMeanAndTheVarianceThatWereChosen) {
  for (std::size_t mean = 0; mean < kGeneMeans.size(); ++mean)
    for (std::size_t spread = 0; spread < kGeneSpreads.size(); ++spread) {
      GeneChoice choice = standard_choice();
      choice[gene_head(GeneKind::priority, GeneAspect::mean)] = static_cast<std::uint8_t>(mean);
      choice[gene_head(GeneKind::priority, GeneAspect::spread)] = static_cast<std::uint8_t>(spread);
      const auto [alpha, beta] = beta_of(choice, GeneKind::priority);
      const float sum = alpha + beta, expected = alpha / sum;
      EXPECT_NEAR(expected, kGeneMeans[mean], 1e-5);
      EXPECT_NEAR(alpha * beta / (sum * sum * (sum + 1)), kGeneSpreads[spread] * expected * (1 - expected), 1e-5);
      EXPECT_EQ(beta_of(choice, GeneKind::device).alpha, 1);  // of which nothing else was chosen
    }
}

TEST(GeneChoice, EveryOutputIsAnOptionOfOneSoftmax) {
  std::size_t next = 0;
  for (const GeneHead& head : gene_heads()) {
    EXPECT_EQ(head.first, next);
    next += head.options;
  }
  EXPECT_EQ(next, kGeneOutputs);
  EXPECT_EQ(gene_heads()[gene_head(GeneKind::transfer, GeneAspect::bias)].options, kGeneBiases.size());
}

}  // namespace
}  // namespace hone

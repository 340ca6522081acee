#include "learn/policy/gene_choice.h"

#include <algorithm>

#include "plan/methods/brkga.h"

namespace hone {
namespace {

constexpr std::size_t kUniformMean = 9, kUniformSpread = 0;

std::array<GeneHead, kGeneHeads> make_gene_heads() {
  constexpr std::size_t kOptions[kGeneAspects] = {kGeneMeans.size(), kGeneSpreads.size(), kGeneBiases.size()};
  std::array<GeneHead, kGeneHeads> heads;
  std::size_t first = 0;
  for (std::size_t i = 0; i < kGeneHeads; ++i) {
    heads[i] = {first, kOptions[i % kGeneAspects]};
    first += heads[i].options;
  }
  return heads;
}

std::uint8_t usual_bias() {
  const auto usual = static_cast<float>(BrkgaParameters().bias);
  return static_cast<std::uint8_t>(std::ranges::find(kGeneBiases, usual) - kGeneBiases.begin());
}

}  // namespace

const std::array<GeneHead, kGeneHeads>& gene_heads() {
  static const std::array<GeneHead, kGeneHeads> heads = make_gene_heads();
  return heads;
}

GeneChoice standard_choice() {
  GeneChoice choice{};
  for (std::size_t kind = 0; kind < kGeneKinds; ++kind) {
    choice[gene_head(static_cast<GeneKind>(kind), GeneAspect::mean)] = kUniformMean;
    choice[gene_head(static_cast<GeneKind>(kind), GeneAspect::spread)] = kUniformSpread;
    choice[gene_head(static_cast<GeneKind>(kind), GeneAspect::bias)] = usual_bias();
  }
  return choice;
}

/// A Beta distribution with mean m and variance s m (1 - m) has alpha + beta = 1 / s - 1.
GeneGuidance::Beta beta_of(const GeneChoice& choice, GeneKind kind) {
  const float mean = kGeneMeans[choice[gene_head(kind, GeneAspect::mean)]];
  const float strength = 1 / kGeneSpreads[choice[gene_head(kind, GeneAspect::spread)]] - 1;
  return {mean * strength, (1 - mean) * strength};
}

float bias_of(const GeneChoice& choice, GeneKind kind) {
  return kGeneBiases[choice[gene_head(kind, GeneAspect::bias)]];
}

}  // namespace hone

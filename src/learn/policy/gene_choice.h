#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "plan/methods/genes.h"

namespace hone {

/// Genes that a policy tells apart: where an operation runs, when, and when its results are sent.
enum class GeneKind : std::uint8_t { device, priority, transfer };
inline constexpr std::size_t kGeneKinds = 3;

/// What is chosen about the genes of one kind: the mean and the spread of the Beta distribution that mutants are drawn
/// from, and the chance that a child takes the gene from an elite parent. Each is one of a few steps, so that a policy
/// is a product of softmaxes.
enum class GeneAspect : std::uint8_t { mean, spread, bias };
inline constexpr std::size_t kGeneAspects = 3;

inline constexpr std::array<float, 19> kGeneMeans = {0.05F, 0.1F, 0.15F, 0.2F, 0.25F, 0.3F, 0.35F, 0.4F, 0.45F, 0.5F,
                                                     0.55F, 0.6F, 0.65F, 0.7F, 0.75F, 0.8F, 0.85F, 0.9F, 0.95F};
/// The variance as a share of the most that a distribution with its mean can have; a third of it is that of uniform
/// numbers around a half.
inline constexpr std::array<float, 4> kGeneSpreads = {1.0F / 3, 1.0F / 8, 1.0F / 30, 1.0F / 200};
inline constexpr std::array<float, 5> kGeneBiases = {0.5F, 0.6F, 0.7F, 0.8F, 0.9F};

/// One softmax of a node: its options are a few of the network's outputs, one after another.
struct GeneHead {
  std::size_t first = 0, options = 0;
};
inline constexpr std::size_t kGeneHeads = kGeneKinds * kGeneAspects;
inline constexpr std::size_t kKindOutputs = kGeneMeans.size() + kGeneSpreads.size() + kGeneBiases.size();
inline constexpr std::size_t kGeneOutputs = kGeneKinds * kKindOutputs;

/// All softmaxes of a node: those of devices, then of priorities, then of transfers.
const std::array<GeneHead, kGeneHeads>& gene_heads();
inline std::size_t gene_head(GeneKind kind, GeneAspect aspect) {
  return static_cast<std::size_t>(kind) * kGeneAspects + static_cast<std::size_t>(aspect);
}

/// What is chosen for one node: an option of every softmax.
using GeneChoice = std::array<std::uint8_t, kGeneHeads>;

/// Uniform numbers, and the chance that the genetic algorithm takes by itself: under it, it is the plain one.
GeneChoice standard_choice();

GeneGuidance::Beta beta_of(const GeneChoice& choice, GeneKind kind);
float bias_of(const GeneChoice& choice, GeneKind kind);

}  // namespace hone

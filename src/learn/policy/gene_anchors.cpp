#include "learn/policy/gene_anchors.h"

#include <cmath>

namespace hone {

float unit_of_anchor(std::size_t term) {
  if (term < kGenePlaces) return 2;
  return term == kGenePlaces ? 5 : 10;
}

std::vector<float> first_anchors() {
  constexpr float kLean = 0.3F;  // of five biases the usual one has a chance of 0.8
  constexpr float kFall = 70;    // a mean that is 0.1 away is half as likely
  const GeneChoice standard = standard_choice();
  std::vector<float> anchors(kAnchorParts * kGeneKinds * kAnchorTerms);
  for (std::size_t i = 0; i < kGeneKinds; ++i) {
    const auto kind = static_cast<GeneKind>(i);
    float* const terms = anchors.data() + i * kAnchorTerms + kGenePlaces;
    terms[0] = std::log(kFall) / unit_of_anchor(kGenePlaces);
    terms[1 + standard[gene_head(kind, GeneAspect::spread)]] = kLean;
    terms[1 + kGeneSpreads.size() + standard[gene_head(kind, GeneAspect::bias)]] = kLean;
  }
  return anchors;
}

void add_anchors(std::span<float> rows, std::span<const float> anchors, const GeneFeatures& features) {
  std::vector<float> terms(anchors.begin(), anchors.begin() + kGeneKinds * kAnchorTerms);
  for (std::size_t i = 0; i < terms.size(); ++i)
    terms[i] = (terms[i] + features.weighted * anchors[terms.size() + i]) * unit_of_anchor(i % kAnchorTerms);
  for (std::size_t i = 0; i < rows.size() / kKindOutputs; ++i) {
    const std::span<const float> places = std::span(features.places).subspan(i / kGeneKinds * kGenePlaces, kGenePlaces);
    const std::span<const float> said = std::span(terms).subspan(i % kGeneKinds * kAnchorTerms, kAnchorTerms);
    const std::span<float> outputs = rows.subspan(i * kKindOutputs, kKindOutputs);
    float centre = 0.5F;
    for (std::size_t k = 0; k < kGenePlaces; ++k) centre += said[k] * places[k];
    const float fall = std::exp(said[kGenePlaces]);
    for (std::size_t k = 0; k < kGeneMeans.size(); ++k)
      outputs[k] -= fall * (kGeneMeans[k] - centre) * (kGeneMeans[k] - centre);
    for (std::size_t k = kGenePlaces + 1; k < kAnchorTerms; ++k)
      outputs[kGeneMeans.size() + k - kGenePlaces - 1] += said[k];
  }
}

}  // namespace hone

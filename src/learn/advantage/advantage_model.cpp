#include "learn/advantage/advantage_model.h"

namespace hone {
namespace {

/// How far weights may be from what was learned offline, and how noisy labels are: a graph of another family is like
/// those of training in most respects, and neighbours that a basis does not see make some noise.
constexpr double kPriorVariance = 1e-3, kNoiseVariance = 0.25;

}  // namespace

AdvantageModel::AdvantageModel(const Policy& policy)
    : policy_(policy), width_(policy.parts().front().shape.width), size_(hone::basis_size(width_)) {
  const std::vector<float>& final = policy.network(kJudgeNetwork).free("final");
  const auto end = final.begin() + static_cast<std::ptrdiff_t>(size_);
  advantage_ = LinearFit({final.begin(), end}, std::vector<double>(size_, kPriorVariance));
  magnitude_.assign(end, final.end());
}

AdvantageModel::Judged AdvantageModel::judge(AdvantageFeatures& features, std::span<const std::uint32_t> units) const {
  AdvantageView view = features.view(units, policy_.parts().front().shape.rounds);
  Judged judged;
  if (view.candidates.empty()) return judged;
  const std::vector<float> operations = policy_.network(kOperationsNetwork).run(view.input());
  const std::vector<float> rows = judged_rows(view, operations, width_);
  const CandidateInput input(rows, view.candidates.size());
  const std::vector<float> hidden = policy_.network(kJudgeNetwork).run(input.input());
  judged.bases.reserve(view.candidates.size() * size_);
  for (std::size_t i = 0; i < view.candidates.size(); ++i) {
    const auto own = hidden.begin() + static_cast<std::ptrdiff_t>(i * width_);
    judged.bases.insert(judged.bases.end(), own, own + static_cast<std::ptrdiff_t>(width_));
    const auto columns = view.candidate_rows.begin() + static_cast<std::ptrdiff_t>(i * kCandidateColumns);
    judged.bases.insert(judged.bases.end(), columns, columns + kCandidateColumns);
    judged.bases.push_back(1);
  }
  judged.candidates = std::move(view.candidates);
  return judged;
}

double AdvantageModel::predict(std::span<const float> basis, AdvantageOutput output) const {
  if (output == AdvantageOutput::advantage) return advantage_.predict(basis);
  double sum = 0;
  for (std::size_t i = 0; i < size_; ++i) sum += magnitude_[i] * basis[i];
  return sum;
}

void AdvantageModel::learn(std::span<const float> basis, double label) {
  advantage_.learn(basis, label, kNoiseVariance);
  ++learned_;
}

}  // namespace hone

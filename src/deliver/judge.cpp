#include "deliver/judge.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/onnx/write.h"

namespace hone {

std::filesystem::path RuntimeJudge::file_of(const std::shared_ptr<const Model>& model) {
  const auto [it, missing] = files_.try_emplace(model);
  if (missing) {
    it->second = folder_.path() / fmt::format("{}.onnx", files_.size());
    onnx::write(*model, it->second);
  }
  return it->second;
}

Measurement RuntimeJudge::judge(std::span<const Proposal> proposals, double seconds) {
  // For a runtime that reads files the model only tells the inputs, which are the same for all.
  const bool runs_graphs = options_.runtime->takes() == ModelForm::graph;
  std::vector<Candidate> candidates;
  for (const Proposal& proposal : proposals)
    candidates.push_back({.name = proposal.steps.empty() ? "original" : proposal.steps.back().name,
                          .model = runs_graphs ? made_static_(*proposal.model) : original_,
                          .file = file_of(proposal.model),
                          .options = proposal.options});
  // What is only looked at needs fewer fresh sessions, which large models are slow to make.
  constexpr double kLook = 1.0;
  options_.interleave.blocks = seconds <= kLook ? 4 : 8;
  options_.interleave.least_rounds = 2 * options_.interleave.blocks;
  options_.interleave.seconds = seconds;
  constexpr double kMostOfRest = 0.25;  // however busy the machine is and however slow the model
  options_.interleave.wall_limit =
      std::max(seconds * static_cast<double>(proposals.size()), kMostOfRest * seconds_left_());
  ++options_.interleave.seed;
  return measure_models(candidates, options_);
}

}  // namespace hone

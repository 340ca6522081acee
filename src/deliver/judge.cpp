#include "deliver/judge.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/onnx/write.h"

namespace hone {
namespace {

constexpr std::size_t kClaimBlocks = 8;

}  // namespace

std::filesystem::path RuntimeJudge::file_of(const std::shared_ptr<const Model>& model) {
  const auto [it, missing] = files_.try_emplace(model);
  if (missing) {
    it->second = folder_.path() / fmt::format("{}.onnx", files_.size());
    onnx::write(weights_.refer(*model), it->second);
  }
  return it->second;
}

Measurement RuntimeJudge::judge(std::span<const Proposal> proposals, double seconds) {
  // What is only looked at needs fewer fresh sessions, which large models are slow to make, and of a slow model fewer
  // runs.
  constexpr double kLook = 1.0;
  const std::size_t blocks = seconds <= kLook ? 4 : kClaimBlocks;
  options_.tells_loading = false;
  return timed(proposals, seconds, blocks, blocks, [this](const auto& model) { return file_of(model); });
}

Measurement RuntimeJudge::measure(std::span<const Proposal> proposals, double seconds) {
  options_.tells_loading = true;
  const TemporaryFolder folder;
  std::map<const Model*, std::filesystem::path> whole;
  const FileOfModel whole_file = [&](const std::shared_ptr<const Model>& model) {
    const auto [it, missing] = whole.try_emplace(model.get());
    if (missing) {
      it->second = folder.path() / fmt::format("{}.onnx", whole.size());
      onnx::write(*model, it->second);
    }
    return it->second;
  };
  return timed(proposals, seconds, kClaimBlocks, 2 * kClaimBlocks, whole_file);
}

Measurement RuntimeJudge::timed(std::span<const Proposal> proposals, double seconds, std::size_t blocks,
                                std::size_t least_rounds, const FileOfModel& file_of) {
  // For a runtime that reads files the model only tells the inputs, which are the same for all.
  const bool runs_graphs = options_.runtime->takes() == ModelForm::graph;
  std::vector<Candidate> candidates;
  for (const Proposal& proposal : proposals)
    candidates.push_back({.name = proposal.steps.empty() ? "original" : proposal.steps.back().name,
                          .model = runs_graphs ? made_static_(*proposal.model) : original_,
                          .file = file_of(proposal.model),
                          .options = proposal.options});
  options_.interleave.blocks = blocks;
  options_.interleave.least_rounds = least_rounds;
  options_.interleave.seconds = seconds;
  constexpr double kMostOfRest = 0.25;  // however busy the machine is and however slow the model
  options_.interleave.wall_limit =
      std::max(seconds * static_cast<double>(proposals.size()), kMostOfRest * seconds_left_());
  ++options_.interleave.seed;
  return measure_models(candidates, options_);
}

}  // namespace hone

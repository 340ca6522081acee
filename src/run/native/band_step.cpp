#include "run/native/band_step.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "run/native/threads.h"

namespace hone::native {
namespace {

constexpr std::size_t kBandAlignment = 64;

std::size_t whole_lines(std::size_t bytes) { return (bytes + kBandAlignment - 1) / kBandAlignment * kBandAlignment; }

}  // namespace

BandStep::BandStep(Work work, const std::function<Steps()>& make)
    : work_(std::move(work)), blocks_(static_cast<std::int64_t>(work_.operands.at(0).offset_bytes.size())) {
  const std::size_t count = shares_of(work_.nanoseconds, blocks_);
  const OneThread alone;
  for (std::size_t i = 0; i < count; ++i) {
    shares_.push_back({.steps = make(), .arrays = {}});
    shares_.back().arrays.resize(work_.operands.size() + work_.between_bytes.size());
  }
  for (std::size_t& bytes : work_.between_bytes) bytes = whole_lines(bytes);
  for (const auto& step : shares_[0].steps)
    steps_scratch_bytes_ = std::max(steps_scratch_bytes_, whole_lines(step->scratch_bytes()));
  share_bytes_ =
      std::accumulate(work_.between_bytes.begin(), work_.between_bytes.end(), steps_scratch_bytes_, std::plus());
}

void BandStep::run(const RunMemory& memory) const {
  if (shares_.size() > 1) return on_threads(shares_.size(), [&](std::size_t share) { run_blocks(memory, share); });
  const OneThread alone;
  run_blocks(memory, 0);
}

void BandStep::run_blocks(const RunMemory& memory, std::size_t share) const {
  Share& own = shares_[share];
  std::byte* const scratch = memory.scratch + share * share_bytes_;
  std::byte* between = scratch + steps_scratch_bytes_;
  for (std::size_t i = 0; i < work_.between_bytes.size(); between += work_.between_bytes[i++])
    own.arrays[work_.operands.size() + i] = between;
  const PartRange blocks = range_of(blocks_, share, shares_.size());
  for (std::int64_t block = blocks.first; block < blocks.last; ++block) {
    for (std::size_t i = 0; i < work_.operands.size(); ++i)
      own.arrays[i] = static_cast<std::byte*>(memory.at(work_.operands[i].place)) +
                      work_.operands[i].offset_bytes[static_cast<std::size_t>(block)];
    for (const auto& step : own.steps) step->run({.arrays = own.arrays, .scratch = scratch});
  }
}

std::vector<ArrayId> BandStep::arrays_of(bool written) const {
  std::vector<ArrayId> found;
  for (const Operand& operand : work_.operands)
    if (operand.is_written == written) found.push_back(operand.place.array);
  return found;
}

}  // namespace hone::native

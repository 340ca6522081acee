#include "run/native/lanes.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

#include "base/thread_pool.h"

namespace hone::native {
namespace {

/// Who used an array so far.
struct ArrayUses {
  std::vector<std::uint32_t> readers, writers;
};

}  // namespace

Lanes::Lanes(const Program& program) {
  std::uint32_t lanes = 1;
  for (const auto& step : program.steps) lanes = std::max(lanes, step->lane + 1);
  steps_.resize(lanes);
  std::vector<ArrayUses> uses(program.arrays.size());
  std::vector<std::uint32_t> number;  // by step: on its lane
  for (std::uint32_t i = 0; i < program.steps.size(); ++i) {
    const Step& step = *program.steps[i];
    std::vector<std::uint32_t>& own = steps_[step.lane];
    std::vector<std::uint32_t> ended = own.empty() ? std::vector<std::uint32_t>(lanes) : ended_before_[own.back()];
    ended[step.lane] = static_cast<std::uint32_t>(own.size());
    const auto wait_for = [&](const std::vector<std::uint32_t>& others) {
      for (const std::uint32_t other : others) {
        for (std::uint32_t lane = 0; lane < lanes; ++lane)
          ended[lane] = std::max(ended[lane], ended_before_[other][lane]);
        const std::uint32_t lane = program.steps[other]->lane;
        ended[lane] = std::max(ended[lane], number[other] + 1);
      }
    };
    for (const ArrayId array : step.reads()) wait_for(uses[array.index()].writers);
    for (const ArrayId array : step.writes()) wait_for(uses[array.index()].readers);
    for (const ArrayId array : step.reads()) uses[array.index()].readers.push_back(i);
    for (const ArrayId array : step.writes()) uses[array.index()].writers.push_back(i);
    number.push_back(static_cast<std::uint32_t>(own.size()));
    own.push_back(i);
    ended_before_.push_back(std::move(ended));
  }
}

std::vector<std::int64_t> Lanes::first_unfinished() const {
  std::vector<std::int64_t> first;
  for (std::size_t i = 0; i < ended_before_.size(); ++i) {
    auto least = static_cast<std::int64_t>(i);
    for (std::size_t lane = 0; lane < steps_.size(); ++lane)
      if (ended_before_[i][lane] < steps_[lane].size())
        least = std::min<std::int64_t>(least, steps_[lane][ended_before_[i][lane]]);
    first.push_back(least);
  }
  return first;
}

/// How far lanes are, each on a cache line of its own.
struct LaneRunner::State {
  struct alignas(64) Progress {
    std::atomic<std::uint32_t> ended = 0;
  };

  explicit State(std::size_t lanes) : progress(lanes) {}

  /// Until a lane has ended so many steps; false where another one failed.
  bool wait(std::size_t lane, std::uint32_t steps) const {
    constexpr int kSpins = 2000;  // some microseconds, then others may have the core
    for (int spins = 0; progress[lane].ended.load(std::memory_order_acquire) < steps; ++spins) {
      if (failed.load(std::memory_order_relaxed)) return false;
      if (spins > kSpins) std::this_thread::yield();
    }
    return true;
  }

  std::vector<Progress> progress;  // by lane
  std::atomic<bool> failed = false;
  std::mutex mutex;
  std::exception_ptr failure;
};

LaneRunner::LaneRunner(const Program& program)
    : program_(program),
      lanes_(program),
      state_(std::make_unique<State>(lanes_.steps().size())),
      pool_(std::make_unique<ThreadPool>(lanes_.steps().size())) {}

LaneRunner::~LaneRunner() = default;

void LaneRunner::run(const std::function<void(const Step&, std::uint32_t)>& run_step) {
  for (State::Progress& each : state_->progress) each.ended.store(0, std::memory_order_relaxed);
  state_->failed.store(false, std::memory_order_relaxed);
  state_->failure = nullptr;
  // As many threads as lanes: whichever lane waits, the others have a thread.
  pool_->for_each(lanes_.steps().size(), [&](std::size_t, std::size_t lane) {
    try {
      std::uint32_t ended = 0;
      for (const std::uint32_t step : lanes_.steps()[lane]) {
        const std::vector<std::uint32_t>& before = lanes_.ended_before(step);
        for (std::size_t other = 0; other < before.size(); ++other)
          if (other != lane && !state_->wait(other, before[other])) return;
        run_step(*program_.steps[step], static_cast<std::uint32_t>(lane));
        state_->progress[lane].ended.store(++ended, std::memory_order_release);
      }
    } catch (...) {
      const std::scoped_lock lock(state_->mutex);
      if (!state_->failure) state_->failure = std::current_exception();
      state_->failed.store(true, std::memory_order_relaxed);
    }
  });
  if (state_->failure) std::rethrow_exception(state_->failure);
}

}  // namespace hone::native

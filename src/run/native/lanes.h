#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "run/native/program.h"

namespace hone {
class ThreadPool;
}

namespace hone::native {

/// Which steps of a program run after which others where lanes run side by side: after those before them on their own
/// lane, after those that write what they read, and after those that read what they write over. Steps come in an order
/// in which all they wait for comes first, so that lanes never wait in a circle.
class Lanes {
 public:
  explicit Lanes(const Program& program);

  /// Steps of every lane, in order.
  const std::vector<std::vector<std::uint32_t>>& steps() const { return steps_; }
  /// By lane: how many of its steps have ended for sure when a step starts.
  const std::vector<std::uint32_t>& ended_before(std::uint32_t step) const { return ended_before_[step]; }
  /// By step: the first one in the order of the plan that may not have ended when it starts, itself at the latest.
  std::vector<std::int64_t> first_unfinished() const;

 private:
  std::vector<std::vector<std::uint32_t>> steps_;         // by lane
  std::vector<std::vector<std::uint32_t>> ended_before_;  // by step
};

/// Runs the lanes of a program side by side, each on a thread of its own; allocates nothing while it runs.
class LaneRunner {
 public:
  explicit LaneRunner(const Program& program);
  ~LaneRunner();

  /// Calls `run_step` with every step and the number of its lane, each after those that it waits for. What one of them
  /// throws ends the run and is thrown again.
  void run(const std::function<void(const Step&, std::uint32_t)>& run_step);

 private:
  struct State;
  const Program& program_;
  Lanes lanes_;
  std::unique_ptr<State> state_;
  std::unique_ptr<ThreadPool> pool_;
};

}  // namespace hone::native

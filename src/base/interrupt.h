#pragma once

namespace hone {

/// While one exists, Ctrl-C and SIGTERM ask for an early end instead of killing the process; a second one kills it.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

 private:
  using Handler = void (*)(int);
  Handler previous_interrupt_, previous_termination_;
};

/// Whether an early end was asked for under the present guard.
bool interrupted();

/// The signal that last asked for an early end, also after its guard is gone: SIGINT unless there was another.
int interrupting_signal();

}  // namespace hone

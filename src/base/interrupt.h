#pragma once

namespace hone {

/// While one exists, Ctrl-C asks for an early end instead of killing the process; a second Ctrl-C kills it.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

 private:
  void (*previous_)(int);
};

/// Whether Ctrl-C was pressed under the present guard.
bool interrupted();

}  // namespace hone

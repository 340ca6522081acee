#include "base/interrupt.h"

#include <atomic>
#include <csignal>

namespace hone {
namespace {

std::atomic<bool> pressed = false;
std::atomic<int> last_signal = SIGINT;
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free,
              "a signal handler may not wait");

void on_interrupt(int signal) {
  pressed = true;
  last_signal = signal;
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  pressed = false;
  previous_interrupt_ = std::signal(SIGINT, on_interrupt);
  previous_termination_ = std::signal(SIGTERM, on_interrupt);
}

InterruptGuard::~InterruptGuard() {
  std::signal(SIGINT, previous_interrupt_);
  std::signal(SIGTERM, previous_termination_);
  pressed = false;
}

bool interrupted() { return pressed; }

int interrupting_signal() { return last_signal; }

}  // namespace hone

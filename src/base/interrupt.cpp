#include "base/interrupt.h"

#include <atomic>
#include <csignal>

namespace hone {
namespace {

std::atomic<bool> pressed = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may not wait");

void on_interrupt(int) {
  pressed = true;
  std::signal(SIGINT, SIG_DFL);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  pressed = false;
  previous_ = std::signal(SIGINT, on_interrupt);
}

InterruptGuard::~InterruptGuard() {
  std::signal(SIGINT, previous_);
  pressed = false;
}

bool interrupted() { return pressed; }

}  // namespace hone

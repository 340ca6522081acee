#include "base/verbosity.h"

#include <cstdio>

namespace hone {
namespace {

Verbosity chosen = Verbosity::usual;

}  // namespace

Verbosity verbosity() { return chosen; }

void set_verbosity(Verbosity verbosity) { chosen = verbosity; }

void print_note(std::string_view text) {
  if (chosen != Verbosity::quiet) fmt::print(stderr, "{}\n", text);
}

}  // namespace hone

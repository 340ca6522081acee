#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace hone {

/// A message as a terminal can show it, whatever names it quotes: control characters become spaces, and what is longer
/// than anybody reads is cut.
std::string one_line(std::string_view message);

/// Does `action`; the message of an InputError thrown by it then is one line that begins with `where`, unless that is
/// empty.
template <class Action>
decltype(auto) within(std::string_view where, Action&& action) {
  try {
    return action();
  } catch (const InputError& error) {
    if (where.empty()) throw;
    throw InputError(one_line(fmt::format("{}: {}", where, error.what())), error.code());
  }
}

}  // namespace hone

#pragma once

#include <optional>

#include "base/error.h"

namespace hone {

/// Does `action`; what it refuses with an InputError (bad model) is told to `change`, and as long as that says that it
/// has changed something, `action` is done again. In the end the first refusal is thrown.
template <class Action, class Change>
auto until_accepted(Action action, Change change) {
  std::optional<InputError> first;
  while (true) {
    try {
      return action();
    } catch (const InputError& error) {
      if (error.code() != ExitCode::bad_model) throw;
      if (!first) first = error;
      if (!change(error.what())) throw InputError(*first);
    }
  }
}

}  // namespace hone

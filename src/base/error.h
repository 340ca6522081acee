#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>

namespace hone {

/// What the process returns to the shell; the numbers are documented in docs/exit-codes.md and never change meaning.
enum class ExitCode {
  done = 0,
  internal_error = 1,
  usage = 2,
  bad_model = 3,
  verification_failed = 4,
  backend_missing = 5,
  no_valid_plan = 6,
  database = 7,
  no_gain = 10,
  interrupted = 130,
};

/// Bad input from outside: one sentence that names what is wrong and where. Caught once, in cli/.
class InputError : public std::runtime_error {
 public:
  explicit InputError(const std::string& message, ExitCode code = ExitCode::bad_model)
      : std::runtime_error(message), code_(code) {}

  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

/// Throws an InputError for an unreadable or unsupported model.
template <class... Args>
[[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) {
  throw InputError(fmt::format(format, std::forward<Args>(args)...));
}

/// Throws an InputError for a command line that cannot be carried out.
template <class... Args>
[[noreturn]] void fail_usage(fmt::format_string<Args...> format, Args&&... args) {
  throw InputError(fmt::format(format, std::forward<Args>(args)...), ExitCode::usage);
}

/// Prints where a programming error was noticed and aborts.
[[noreturn]] void check_failed(const char* file, int line, const char* condition, const std::string& message);

}  // namespace hone

/// Aborts on a bug of ours; never used on what comes from outside. Takes an optional format string with arguments.
#define HONE_CHECK(condition, ...)                                                         \
  do {                                                                                     \
    if (!(condition)) [[unlikely]]                                                         \
      ::hone::check_failed(__FILE__, __LINE__, #condition, ::fmt::format("" __VA_ARGS__)); \
  } while (false)

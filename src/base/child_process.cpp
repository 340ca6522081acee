#include "base/child_process.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "base/interrupt.h"

namespace hone {
namespace {

// What a child writes begins with how it ended, so that a sentence is not taken for a result.
constexpr char kGave = 'T', kThrew = 'E';

void write_all(int descriptor, std::string_view rest) {
  while (!rest.empty()) {
    const ssize_t count = ::write(descriptor, rest.data(), rest.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    rest.remove_prefix(static_cast<std::size_t>(count));
  }
}

/// Does the work and says how it went; exceptions end here.
std::string report_of(const std::function<std::string()>& work) {
  try {
    return kGave + work();
  } catch (const InputError& error) {
    return std::string{kThrew, static_cast<char>(error.code())} + error.what();
  } catch (const std::exception& error) {
    return std::string{kThrew, static_cast<char>(ExitCode::internal_error)} + error.what();
  }
}

/// What becomes of a child that this process waits for.
struct ChildLimits {
  double seconds;
  OnInterrupt on_interrupt;
};

/// Reads until the other end closes, or kills the child when it takes too long.
std::string read_report(int descriptor, pid_t child, ChildLimits limits) {
  constexpr double kGrace = 0.5;        // seconds to end on Ctrl-C
  constexpr double kLongestWait = 0.1;  // seconds until it is looked again whether Ctrl-C was pressed
  bool told = interrupted();            // a child that is begun afterwards knows it
  const auto start = std::chrono::steady_clock::now();
  std::string report;
  char buffer[4096];
  while (true) {
    const std::chrono::duration<double> used = std::chrono::steady_clock::now() - start;
    if (interrupted() && !told) {
      ::kill(child, SIGINT);
      told = true;
      if (limits.on_interrupt == OnInterrupt::tell_then_kill)
        limits.seconds = std::min(limits.seconds, used.count() + kGrace);
    }
    const double left_milliseconds = std::clamp(limits.seconds - used.count(), 0.0, kLongestWait) * 1e3;
    pollfd watched{.fd = descriptor, .events = POLLIN, .revents = 0};
    const int ready = ::poll(&watched, 1, static_cast<int>(left_milliseconds));
    if (ready == 0 && used.count() >= limits.seconds) ::kill(child, SIGKILL);
    if (ready <= 0 && used.count() < limits.seconds) continue;
    const ssize_t count = ::read(descriptor, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return report;
    report.append(buffer, static_cast<std::size_t>(count));
  }
}

}  // namespace

long peak_memory() {
  struct rusage usage {};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

long peak_memory_of_child(const std::function<void()>& work) {
  const std::string text = text_of_child([&] {
    work();
    return std::to_string(peak_memory());
  });
  return std::stol(text);
}

ChildResult run_in_child(const std::function<std::string()>& work, double limit_seconds, OnInterrupt on_interrupt) {
  int ends[2];
  HONE_CHECK(::pipe(ends) == 0);
  std::fflush(nullptr);  // or a child that writes would write again what waits to be written here
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    ::setpgid(0, 0);  // or a terminal's Ctrl-C would come twice, and the second kills
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    write_all(ends[1], report_of(work));
    ::_exit(0);
  }
  ::close(ends[1]);
  const std::string report = child > 0 ? read_report(ends[0], child, {limit_seconds, on_interrupt}) : "";
  ::close(ends[0]);
  ChildResult result;
  int status = 0;
  if (child > 0) ::waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  if (report.starts_with(kGave)) result.text = report.substr(1);
  else if (report.starts_with(kThrew) && report.size() > 1)
    result.error = report.substr(2), result.code = static_cast<ExitCode>(report[1]);
  else if (result.signal == 0) result.error = "a child process ended without a word";
  return result;
}

std::string text_of_child(const std::function<std::string()>& work, double limit_seconds) {
  return text_given(run_in_child(work, limit_seconds));
}

std::string text_given(const ChildResult& result) {
  if (result.signal != 0)
    throw InputError(
        fmt::format("a child process ended with signal {} ({})", result.signal, ::strsignal(result.signal)),
        ExitCode::internal_error);
  if (!result.succeeded()) throw InputError(result.error, result.code);
  return result.text;
}

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "hone.XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) fail("cannot make a temporary folder");
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace hone

#include "bench/child_process.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"

namespace hone {

long peak_memory_of_child(const std::function<void()>& work) {
  const ChildResult result = run_in_child([&] {
    work();
    struct rusage usage {};
    ::getrusage(RUSAGE_SELF, &usage);
    return std::to_string(usage.ru_maxrss);
  });
  if (result.signal != 0 || result.text.empty()) fail("a child process ended with signal {}", result.signal);
  return std::stol(result.text);
}

ChildResult run_in_child(const std::function<std::string()>& work) {
  int ends[2];
  HONE_CHECK(::pipe(ends) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    std::string text;
    try {
      text = work();
    } catch (const std::exception&) {
      ::_exit(1);
    }
    std::string_view rest = text;
    while (!rest.empty()) {
      const ssize_t count = ::write(ends[1], rest.data(), rest.size());
      if (count <= 0) break;
      rest.remove_prefix(static_cast<std::size_t>(count));
    }
    ::_exit(0);
  }
  ::close(ends[1]);
  ChildResult result;
  char buffer[4096];
  for (ssize_t count; (count = ::read(ends[0], buffer, sizeof buffer)) > 0;)
    result.text.append(buffer, static_cast<std::size_t>(count));
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  return result;
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

#include "base/program.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <sstream>

#include "base/timer.h"

namespace hone {
namespace {

constexpr int kCannotRun = 127;

/// What the child does: it becomes the program.
[[noreturn]] void become(char* const* words, const char* folder) {
  ::setpgid(0, 0);                     // so that what it starts ends with it
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // as nobody waits for it any more
  const int nothing = ::open("/dev/null", O_RDWR);
  for (const int stream : {0, 1, 2}) ::dup2(nothing, stream);
  if (::chdir(folder) == 0) ::execvp(words[0], words);
  ::_exit(kCannotRun);
}

}  // namespace

std::optional<std::filesystem::path> find_program(std::string_view name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::filesystem::path file = std::filesystem::path(folder.empty() ? "." : folder) / name;
    std::error_code none;
    if (std::filesystem::is_regular_file(file, none) && ::access(file.c_str(), X_OK) == 0) return file;
  }
  return std::nullopt;
}

ProgramEnd run_program(const std::vector<std::string>& words, const std::filesystem::path& folder,
                       double limit_seconds) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const Timer timer;
  const pid_t child = ::fork();
  if (child < 0) return {.status = kCannotRun};
  if (child == 0) become(arguments.data(), folder.c_str());
  constexpr useconds_t kBetweenLooks = 20'000;
  ProgramEnd end;
  int status = 0;
  while (::waitpid(child, &status, WNOHANG) == 0) {
    if (timer.seconds() > limit_seconds && !end.ran_over) {
      ::kill(-child, SIGKILL);
      end.ran_over = true;
    }
    ::usleep(kBetweenLooks);
  }
  end.status = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
  return end;
}

}  // namespace hone

#include "run/onnxruntime/install.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/output_file.h"
#include "run/onnxruntime/library.h"

namespace hone::ort {
namespace {

constexpr int kNotFound = 127;

/// Runs a program in `folder` without its output and returns its exit status; `kNotFound` when there is no such
/// program.
int run_program(const std::filesystem::path& folder, const char* const* words) {
  const pid_t child = ::fork();
  if (child < 0) return kNotFound;
  if (child == 0) {
    const int nothing = ::open("/dev/null", O_RDWR);
    for (const int stream : {0, 1, 2}) ::dup2(nothing, stream);
    if (::chdir(folder.c_str()) == 0) ::execvp(words[0], const_cast<char* const*>(words));
    ::_exit(kNotFound);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

[[noreturn]] void fail_install(const std::string& why) {
  throw InputError("ONNX Runtime was not installed: " + why, ExitCode::backend_missing);
}

}  // namespace

std::string install() {
  const std::filesystem::path folder = install_folder();
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) fail_install(fmt::format("{} cannot be made: {}", folder.string(), error.message()));
  OutputFile description(folder / "package.json");  // without one npm installs into the nearest folder above that has
  description.write("{\"private\": true}\n");
  description.commit();
  const char* const words[] = {"npm",  "install", "--ignore-scripts", "--no-audit", "--no-fund", "onnxruntime-node",
                               nullptr};
  const int status = run_program(folder, words);
  if (status == kNotFound) fail_install("it comes from npm, which is not there; `apt-get install npm` first");
  if (status != 0) fail_install(fmt::format("npm ended with status {}; is its package server reachable?", status));
  return Library::load()->version();
}

}  // namespace hone::ort

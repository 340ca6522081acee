#include "learn/policy/learn_library.h"

#include <dlfcn.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/error.h"

namespace hone {
namespace {

std::string library_file() {
  if (const char* given = std::getenv("HONE_LEARN_LIB"); given != nullptr) return given;
  std::error_code ignored;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", ignored);
  return (program.parent_path() / "libhone_learn.so").string();
}

[[noreturn]] void fail_missing(const std::string& why) {
  throw InputError(
      fmt::format("learning needs libhone_learn.so, which {}: `./hone setup learn` installs libtorch and builds it",
                  why),
      ExitCode::backend_missing);
}

}  // namespace

LearnLibrary LearnLibrary::open() {
  const std::string file = library_file();
  if (!std::filesystem::exists(file)) fail_missing("is not there");
  // Threads of libtorch that wait for each other do so asleep, unless the user says otherwise: others may need the
  // processor, of which waiting awake takes more than the work itself where there is nothing to spare.
  ::setenv("OMP_WAIT_POLICY", "passive", 0);
  // Never closed: libtorch's threads live until the process ends.
  void* handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) fail_missing(fmt::format("cannot be opened ({})", ::dlerror()));
  LearnLibrary library;
  library.train_ = reinterpret_cast<Train>(::dlsym(handle, "hone_learn_run"));
  library.time_layers_ = reinterpret_cast<TimeLayers>(::dlsym(handle, "hone_learn_time_layers"));
  if (library.train_ == nullptr || library.time_layers_ == nullptr) fail_missing("is of another version");
  return library;
}

nlohmann::ordered_json LearnLibrary::time_layers(std::size_t nodes, std::size_t threads) const {
  nlohmann::ordered_json row;
  time_layers_(nodes, threads, row);
  return row;
}

}  // namespace hone

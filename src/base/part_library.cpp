#include "base/part_library.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>

#include "base/error.h"

namespace hone {
namespace {

std::string file_of(const RequestedPart& part) {
  if (const char* given = std::getenv(part.variable); given != nullptr) return given;
  std::error_code ignored;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", ignored);
  return (program.parent_path() / part.file).string();
}

}  // namespace

PartLibrary::PartLibrary(const RequestedPart& part) : part_(part) {
  const std::string file = file_of(part);
  if (!std::filesystem::exists(file)) fail_missing("is not there");
  handle_ = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle_ == nullptr) fail_missing(fmt::format("cannot be opened ({})", ::dlerror()));
}

void* PartLibrary::address(const char* name) const {
  void* found = ::dlsym(handle_, name);
  if (found == nullptr) fail_missing("is of another version");
  return found;
}

void PartLibrary::fail_missing(std::string_view why) const {
  throw InputError(fmt::format("{} needs {}, which {}: {}", part_.serves, part_.file, why, part_.remedy),
                   ExitCode::backend_missing);
}

}  // namespace hone

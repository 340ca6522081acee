#include "run/onnxruntime/library.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>

#include "base/data_folder.h"
#include "base/sentence.h"

namespace hone::ort {
namespace {

std::string environment_variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// Libraries below a folder that npm's onnxruntime-node was installed into; it keeps one for each kind of processor.
std::vector<std::string> installed_files(const std::filesystem::path& folder) {
#if defined(__aarch64__)
  const std::string processor = "arm64";
#else
  const std::string processor = "x64";
#endif
  std::vector<std::string> files;
  std::error_code ignored;
  for (const auto& entry :
       std::filesystem::directory_iterator(folder / "node_modules" / "onnxruntime-node" / "bin", ignored)) {
    const auto file = entry.path() / "linux" / processor / "libonnxruntime.so.1";
    if (std::filesystem::exists(file, ignored)) files.push_back(file.string());
  }
  std::ranges::sort(files, std::greater{});  // the newest interface first
  return files;
}

}  // namespace

std::filesystem::path install_folder() { return data_folder() / "onnxruntime"; }

std::vector<std::string> candidate_files() {
  if (const std::string given = environment_variable("HONE_ORT_LIB"); !given.empty()) return {given};
  std::vector<std::string> files = installed_files(install_folder());
  for (const char* name : {"libonnxruntime.so.1", "libonnxruntime.so", "/usr/local/lib/libonnxruntime.so"})
    files.emplace_back(name);
  return files;
}

Library::Library(std::string file, const CEntry* entry) : file_(std::move(file)), version_(entry->version()) {
  table_ = entry->table(kTableVersion);
  if (table_ == nullptr)
    throw InputError(fmt::format("ONNX Runtime {} at {} is older than {}: install a newer one with `{}`", version_,
                                 file_, kOldestLibrary, kInstallCommand),
                     ExitCode::backend_missing);
}

std::shared_ptr<const Library> Library::open(const std::string& file) {
  // Never closed: its threads and its registered objects live until the process ends.
  void* handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return nullptr;
  const auto entry = reinterpret_cast<const CEntry* (*)()>(::dlsym(handle, "OrtGetApiBase"));
  if (entry == nullptr) return nullptr;
  return std::shared_ptr<const Library>(new Library(file, entry()));
}

std::shared_ptr<const Library> Library::load(const std::string& file) {
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<const Library>> loaded;
  const std::lock_guard lock(mutex);
  if (const auto it = loaded.find(file); it != loaded.end()) return it->second;
  const std::vector<std::string> files = file.empty() ? candidate_files() : std::vector{file};
  for (const std::string& each : files)
    if (auto library = open(each)) return loaded[file] = std::move(library);
  const std::string where = files.size() == 1 ? fmt::format(" in {}", files.front()) : "";
  throw InputError(fmt::format("ONNX Runtime was not found{}: install it with `{}`", where, kInstallCommand),
                   ExitCode::backend_missing);
}

bool Library::available(const std::string& file) {
  try {
    return load(file) != nullptr;
  } catch (const InputError&) {
    return false;
  }
}

void Library::check(CStatus* status, const char* name) const {
  if (status == nullptr) return;
  const std::string message = one_line(function(kMessage)(status));
  release(kReleaseStatus, status);
  fail("ONNX Runtime {}: {}: {}", version_, name, message);
}

}  // namespace hone::ort

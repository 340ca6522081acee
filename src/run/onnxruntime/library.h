#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "base/error.h"
#include "run/onnxruntime/c_interface.h"

namespace hone::ort {

/// The command that puts ONNX Runtime where hone finds it.
inline constexpr const char* kInstallCommand = "./hone setup onnxruntime";

/// Folder that `hone setup onnxruntime` installs into: `hone/onnxruntime` below the user's data folder.
std::filesystem::path install_folder();

/// Files to try when the user names none, in order: HONE_ORT_LIB alone when it is set; else what `hone setup` installed
/// and what the system's loader finds by name.
std::vector<std::string> candidate_files();

/// ONNX Runtime, loaded. Everything of it goes through here.
class Library {
 public:
  /// Loads `file`, or the first candidate when it is empty; once a process. Throws InputError (backend missing) that
  /// names the command to install it.
  static std::shared_ptr<const Library> load(const std::string& file = {});
  /// Whether `load(file)` would succeed.
  static bool available(const std::string& file = {});

  const std::string& version() const { return version_; }  // `1.30.0`
  const std::string& file() const { return file_; }

  /// Calls a function of the table; throws InputError with the library's own words when it fails.
  template <class... Parameters, class... Arguments>
  void call(const Call<Parameters...>& slot, Arguments&&... arguments) const {
    check(function(slot)(std::forward<Arguments>(arguments)...), slot.name);
  }
  template <class Object>
  void release(const Release<Object>& slot, Object* object) const {
    if (object != nullptr) function(slot)(object);
  }

 private:
  Library(std::string file, const CEntry* entry);
  static std::shared_ptr<const Library> open(const std::string& file);

  template <class Function>
  Function* function(const Slot<Function>& slot) const {
    return reinterpret_cast<Function*>(const_cast<void*>(table_[slot.place]));
  }
  void check(CStatus* status, const char* name) const;

  std::string file_, version_;
  const void* const* table_ = nullptr;
};

/// A pointer to an object of the library that releases it.
template <class Object>
class Owned {
 public:
  Owned() = default;
  Owned(std::shared_ptr<const Library> library, const Release<Object>& slot)
      : library_(std::move(library)), slot_(slot) {}
  Owned(Owned&& other) noexcept { swap(other); }
  Owned& operator=(Owned&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Owned() {
    if (library_) library_->release(slot_, object_);
  }

  Object* get() const { return object_; }
  /// Where a function of the library is to put a new object.
  Object** place() { return &object_; }

 private:
  void swap(Owned& other) noexcept {
    std::swap(library_, other.library_);
    std::swap(slot_, other.slot_);
    std::swap(object_, other.object_);
  }

  std::shared_ptr<const Library> library_;
  Release<Object> slot_;
  Object* object_ = nullptr;
};

}  // namespace hone::ort

#pragma once

#include <string>
#include <string_view>

namespace hone {

/// A part of hone that is built on request, as a library of its own.
struct RequestedPart {
  std::string_view file;    // beside the program: `libhone_learn.so`
  const char* variable;     // of the environment; names another file: `HONE_LEARN_LIB`
  std::string_view serves;  // what needs it: `learning`
  std::string_view remedy;  // how to get it: "`./hone setup learn` builds it"
};

/// The library of such a part. It stays open until the process ends, as threads of its own may.
class PartLibrary {
 public:
  /// Throws InputError with the part's remedy when the library is not there or cannot be opened.
  explicit PartLibrary(const RequestedPart& part);

  /// A function of that name. Throws likewise when there is none: the library is of another version.
  template <class Function>
  Function function(const char* name) const {
    return reinterpret_cast<Function>(address(name));
  }

 private:
  void* address(const char* name) const;
  [[noreturn]] void fail_missing(std::string_view why) const;

  RequestedPart part_;
  void* handle_ = nullptr;
};

}  // namespace hone

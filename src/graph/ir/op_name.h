#pragma once

#include <string>
#include <string_view>

namespace hone {

/// Which operator a node applies: the domain ("" is ONNX's own), the name and, for model-local functions, the overload.
/// Kept once per process, so that comparing operators is comparing pointers.
struct OpName {
  std::string domain;
  std::string name;
  std::string overload;

  /// `ai.onnx` and "" are the same domain and become "".
  static const OpName* intern(std::string_view domain, std::string_view name, std::string_view overload = "");

  bool is(std::string_view wanted) const { return domain.empty() && name == wanted; }
  /// `Conv`, `com.microsoft.Gelu`.
  std::string text() const;
};

}  // namespace hone

#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "graph/ops/op.h"

namespace hone {

/// The domain of ONNX Runtime's own operators.
inline constexpr std::string_view kContribDomain = "com.microsoft";

/// A table of related operators that joins the op table by existing: define one at namespace scope in the family's
/// file.
class OpFamily {
 public:
  explicit OpFamily(std::vector<OpEntry> entries);
  OpFamily(const OpFamily&) = delete;
  OpFamily& operator=(const OpFamily&) = delete;

  std::span<const OpEntry> entries() const { return entries_; }

 private:
  std::vector<OpEntry> entries_;
};

}  // namespace hone

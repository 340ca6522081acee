#pragma once

#include <string_view>

#include "base/registered.h"
#include "graph/ops/op.h"

namespace hone {

/// The domain of ONNX Runtime's own operators.
inline constexpr std::string_view kContribDomain = "com.microsoft";

/// A table of related operators that joins the op table by existing: define one at namespace scope in the family's
/// file.
class OpFamily : public RegisteredTable<OpFamily, OpEntry> {
 public:
  using RegisteredTable::RegisteredTable;
};

}  // namespace hone

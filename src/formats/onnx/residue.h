#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "base/wire.h"

namespace hone::onnx {

/// Fields kept from a file (see Notes::residue), handed out in ascending field order so that a message is written back
/// in the order encoders use.
class Residue {
 public:
  explicit Residue(std::string_view encoded);
  /// Writes the kept fields numbered below `field`.
  void flush_below(std::uint32_t field, WireWriter& into);
  void flush(WireWriter& into) { flush_below(UINT32_MAX, into); }
  /// Forgets a kept field, because the message now has another value for it.
  void drop(std::uint32_t field);

 private:
  std::vector<std::pair<std::uint32_t, Bytes>> fields_;
  std::size_t next_ = 0;
};

}  // namespace hone::onnx

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace hone {

/// Which resource bounds an operation and which efficiency curve applies to it.
enum class OperationClass : std::uint8_t {
  pointwise,
  reduction,
  matmul,
  convolution,
  movement,
  view,
  collective,
  opaque
};
inline constexpr std::size_t kOperationClasses = 8;

std::string_view name_of(OperationClass operation_class);
std::optional<OperationClass> operation_class_named(std::string_view name);

}  // namespace hone

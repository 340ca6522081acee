#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace hone {

/// Which resource bounds a piece of work and which efficiency curve applies to it.
enum class WorkClass : std::uint8_t { pointwise, reduction, matmul, convolution, movement, view, collective, opaque };
inline constexpr std::size_t kWorkClasses = 8;

std::string_view name_of(WorkClass work_class);
std::optional<WorkClass> work_class_named(std::string_view name);

}  // namespace hone

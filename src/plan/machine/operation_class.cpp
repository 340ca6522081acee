#include "plan/machine/operation_class.h"

#include <array>

namespace hone {
namespace {

constexpr std::array<std::string_view, kOperationClasses> kNames = {
    "pointwise", "reduction", "matmul", "convolution", "movement", "view", "collective", "opaque"};

}  // namespace

std::string_view name_of(OperationClass operation_class) { return kNames[static_cast<std::size_t>(operation_class)]; }

std::optional<OperationClass> operation_class_named(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i)
    if (kNames[i] == name) return static_cast<OperationClass>(i);
  return std::nullopt;
}

}  // namespace hone

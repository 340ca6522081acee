#pragma once

#include <memory>

#include "run/native/lowering.h"

namespace hone::native {

/// A step that copies a tensor from one place to another, which may lie differently.
std::unique_ptr<Step> copy_step(const Stored& from, const Stored& to);

}  // namespace hone::native

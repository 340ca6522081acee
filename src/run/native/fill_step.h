#pragma once

#include <memory>

#include "run/native/program.h"

namespace hone::native {

/// A step that sets `bytes` from a place on to copies of one element that lies elsewhere.
std::unique_ptr<Step> fill_step(ArrayPlace place, std::size_t bytes, ArrayPlace element, std::size_t element_bytes);

}  // namespace hone::native

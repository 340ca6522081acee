#pragma once

#include "base/random.h"
#include "graph/ir/tensor.h"

namespace hone::zoo {

/// A tensor of zeros whose memory is only taken when somebody reads it. Throws InputError when the size overflows.
Tensor lazy_zeros(ElementType type, Dims dims);

/// Numbers drawn evenly from [-bound, bound].
Tensor random_uniform(ElementType type, Dims dims, double bound, Rng rng);

/// Every element the same.
Tensor filled(ElementType type, Dims dims, double value);

}  // namespace hone::zoo

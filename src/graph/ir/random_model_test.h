#pragma once

#include "base/random.h"
#include "graph/ir/model.h"

namespace hone {

/// A valid model with a bit of everything a file can hold: every element type and kind of attribute, bodies that
/// capture across two levels, functions, notes, odd names. It computes nothing sensible; it is for testing what must
/// treat every model alike (printing, reading, hashing, verifying).
Model random_model(Rng& rng);

/// A tensor of random bits; unused bits of the last byte are zero.
Tensor random_tensor(ElementType type, Dims dims, Rng& rng);

}  // namespace hone

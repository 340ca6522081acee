#pragma once

#include "ir/model.h"

namespace hone {

/// Drops what is kept only to write the same file again (Notes::residue), bodies and functions included: for showing a
/// model to people.
void drop_residue(Model& model);

}  // namespace hone

#pragma once

#include "graph/ir/model.h"

namespace hone {

/// Makes the inferred types of inputs and outputs the declared ones, so that they are written to the file.
void freeze_signature(Model& model);

}  // namespace hone

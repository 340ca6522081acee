#pragma once

#include "cli/model_source.h"
#include "core/workload.h"

namespace hone {

/// Reads what the user names as a planning problem: a model (see load_model), an HLO module, or one of the formats in
/// foreign/, told apart by contents. Throws InputError for what is no graph of work, naming what the file is.
Workload load_workload(const std::string& spec, const DimOptions& dims);

}  // namespace hone

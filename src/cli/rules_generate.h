#pragma once

#include "base/error.h"
#include "cli/output_arguments.h"
#include "rewrite/discover/generate.h"

namespace hone {

/// What `hone rules generate` was asked for.
struct GenerateRequest {
  GenerateOptions options;
  OutputArguments output;
  bool json = false;
};

/// Generates rules, writes them and prints what was found.
ExitCode print_generated_rules(const GenerateRequest& request);

}  // namespace hone

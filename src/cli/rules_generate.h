#pragma once

#include <string>

#include "base/error.h"
#include "rewrite/discover/generate.h"

namespace hone {

/// What `hone rules generate` was asked for.
struct GenerateRequest {
  GenerateOptions options;
  std::string out;  // file to write; none when empty
  bool json = false;
};

/// Generates rules, writes them and prints what was found.
ExitCode print_generated_rules(const GenerateRequest& request);

}  // namespace hone

#pragma once

#include <optional>
#include <string>

#include "base/error.h"
#include "core/search.h"
#include "core/sharding_problem.h"

namespace hone {

/// How `hone plan` is to solve a sharding problem.
struct ShardingRequest {
  std::string optimizer = "shard";
  Budget budget = {};  // seconds count from the start of reading
  std::uint64_t seed = 0;
  std::size_t threads = 1;
  std::string output, journal;
  bool json = false;
};

/// Solves and prints the problem when the user names a file that holds one; nothing when it holds something else.
std::optional<ExitCode> plan_sharding(const std::string& path, ShardingRequest request);

}  // namespace hone

#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

namespace hone {

/// What a model takes on hone's own executor, in a process of its own: `held_mb` of packed constants and memory to work
/// in, `excess_mb` by which the peak over that of an empty model is more than that, and `allocations` of the second
/// run.
nlohmann::ordered_json native_memory(const std::filesystem::path& file, std::uint64_t seed);

}  // namespace hone

#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace hone {

/// A buffer of a static memory problem: it lives in [lower, upper).
struct AllocationBuffer {
  std::string id;
  std::int64_t lower = 0;
  std::int64_t upper = 0;
  std::int64_t size = 0;

  friend bool operator==(const AllocationBuffer&, const AllocationBuffer&) = default;
};

/// Reads MiniMalloc's CSV: a heading that names the columns id, lower, upper and size in any order, a buffer a line;
/// other columns are passed over.
std::vector<AllocationBuffer> read_minimalloc(const std::filesystem::path& path);
std::vector<AllocationBuffer> parse_minimalloc(std::string_view text, const std::string& file);

}  // namespace hone

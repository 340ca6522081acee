#include "base/machine_memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

namespace hone {
namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

/// The number a file begins with; no limit where there is no such file or it says `max`.
double limit_in(const std::filesystem::path& file) {
  double bytes = 0;
  return std::ifstream(file) >> bytes && bytes > 0 ? bytes : kNoLimit;
}

/// What `MemTotal` of /proc/meminfo says.
double installed_bytes(const std::filesystem::path& root) {
  std::ifstream file(root / "proc/meminfo");
  for (std::string field; file >> field;) {
    double kibibytes = 0;
    if (field == "MemTotal:" && file >> kibibytes) return kibibytes * 1024;
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return kNoLimit;
}

/// The least that the control group of this process and those around it allow, in both versions of such groups.
double group_limit(const std::filesystem::path& root) {
  const std::filesystem::path mounted = root / "sys/fs/cgroup";
  double least = std::min(limit_in(mounted / "memory.max"), limit_in(mounted / "memory/memory.limit_in_bytes"));
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {  // `0::/user.slice/a.service`, `4:memory:/docker/b`
    const std::size_t name = line.find(":/");
    if (name == std::string::npos) continue;
    std::filesystem::path group = std::filesystem::path(line.substr(name + 2));
    for (; !group.empty(); group = group.parent_path()) {
      least = std::min(least, limit_in(mounted / group / "memory.max"));
      least = std::min(least, limit_in(mounted / "memory" / group / "memory.limit_in_bytes"));
    }
  }
  return least;
}

double process_limit() {
  struct rlimit limit {};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kNoLimit;
  return static_cast<double>(limit.rlim_cur);
}

}  // namespace

double usable_memory_bytes(const std::filesystem::path& root) {
  return std::min({installed_bytes(root), group_limit(root), process_limit()});
}

}  // namespace hone

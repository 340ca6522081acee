#include "run/measure/pinning.h"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>
#include <sstream>
#include <thread>

namespace hone {
namespace {

constexpr std::chrono::milliseconds kLook{30};

/// Ticks each processor was idle since the system started.
std::map<std::size_t, double> idle_ticks() {
  std::map<std::size_t, double> idle;
  std::ifstream file("/proc/stat");
  for (std::string line; std::getline(file, line) && line.starts_with("cpu");) {
    if (line.size() < 4 || line[3] == ' ') continue;
    std::istringstream words(line.substr(3));
    std::size_t processor = 0;
    double user = 0, nice = 0, system = 0, ticks = 0;
    words >> processor >> user >> nice >> system >> ticks;
    idle[processor] = ticks;
  }
  return idle;
}

}  // namespace

std::vector<std::size_t> allowed_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<std::size_t> allowed;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return {0};
  for (std::size_t i = 0; i < CPU_SETSIZE; ++i)
    if (CPU_ISSET(i, &set)) allowed.push_back(i);
  return allowed;
}

std::vector<std::size_t> pin_process(std::size_t count) {
  std::vector<std::size_t> processors = allowed_processors();
  if (processors.size() <= count) return processors;
  std::map<std::size_t, double> before = idle_ticks();
  std::this_thread::sleep_for(kLook);
  std::map<std::size_t, double> after = idle_ticks();
  std::ranges::stable_sort(processors, std::greater{}, [&](std::size_t each) { return after[each] - before[each]; });
  processors.resize(count);
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const std::size_t each : processors) CPU_SET(each, &set);
  ::sched_setaffinity(0, sizeof set, &set);
  return processors;
}

}  // namespace hone

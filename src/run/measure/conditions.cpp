#include "run/measure/conditions.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace hone {
namespace {

// Above these, timings are doubtful.
constexpr double kMostOtherLoad = 0.1, kMostStolen = 0.01, kMostClockChange = 0.05;

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

/// Processor time this process and its finished children used.
double own_seconds() {
  double total = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    struct rusage usage {};
    ::getrusage(who, &usage);
    total += seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
  }
  return total;
}

/// The first number of a file; 0 when there is none.
double number_in(const std::filesystem::path& file) {
  double value = 0;
  std::ifstream(file) >> value;
  return value;
}

}  // namespace

ConditionsWatch::ConditionsWatch(std::filesystem::path root) : root_(std::move(root)), start_(read()) {}

ConditionsWatch::Counters ConditionsWatch::read() const {
  Counters counters{.own_seconds = own_seconds()};
  std::ifstream file(root_ / "proc/stat");
  for (std::string line; std::getline(file, line) && line.starts_with("cpu");) {
    std::istringstream words(line);
    std::string name;
    double user = 0, nice = 0, system = 0, idle = 0, waiting = 0, interrupt = 0, soft = 0, stolen = 0;
    words >> name >> user >> nice >> system >> idle >> waiting >> interrupt >> soft >> stolen;
    if (name != "cpu") {
      const std::filesystem::path processor = root_ / "sys/devices/system/cpu" / name;
      counters.clock_hertz += 1e3 * number_in(processor / "cpufreq/scaling_cur_freq");
      counters.throttled += static_cast<long>(number_in(processor / "thermal_throttle/core_throttle_count"));
      ++counters.processors;
      continue;
    }
    counters.busy_ticks = user + nice + system + interrupt + soft;
    counters.stolen_ticks = stolen;
    counters.all_ticks = counters.busy_ticks + stolen + idle + waiting;
  }
  return counters;
}

Conditions ConditionsWatch::stop() const {
  const Counters end = read();
  Conditions result;
  result.processors = std::max<std::size_t>(end.processors, 1);
  const auto processors = static_cast<double>(result.processors);
  const double ticks = end.all_ticks - start_.all_ticks;
  if (ticks > 0) {
    const double elapsed = ticks / static_cast<double>(::sysconf(_SC_CLK_TCK)) / processors;
    const double own = (end.own_seconds - start_.own_seconds) / elapsed;
    result.other_load = std::max(0.0, (end.busy_ticks - start_.busy_ticks) / ticks * processors - own);
    result.stolen = (end.stolen_ticks - start_.stolen_ticks) / ticks;
  }
  result.waiting = number_in(root_ / "proc/loadavg") / processors;
  if (start_.clock_hertz > 0) result.clock_change = end.clock_hertz / start_.clock_hertz - 1;
  result.throttled = end.throttled - start_.throttled;
  std::ifstream(root_ / "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor") >> result.governor;
  return result;
}

std::vector<std::string> Conditions::warnings() const {
  std::vector<std::string> sentences;
  if (other_load > kMostOtherLoad)
    sentences.push_back(fmt::format("other programs kept {:.1f} of {} processors busy", other_load, processors));
  if (stolen > kMostStolen)
    sentences.push_back(fmt::format("the host of this virtual machine took {:.0f} % of its time", stolen * 100));
  if (throttled > 0) sentences.push_back("the processor slowed down because of heat");
  if (clock_change < -kMostClockChange)
    sentences.push_back(fmt::format("the processor's clock fell by {:.0f} %", -clock_change * 100));
  if (!governor.empty() && governor != "performance")
    sentences.push_back(fmt::format("the processor's frequency is governed by '{}', not 'performance'", governor));
  return sentences;
}

}  // namespace hone

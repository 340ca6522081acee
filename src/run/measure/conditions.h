#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace hone {

/// What else happened on the machine while something was timed.
struct Conditions {
  double other_load = 0;    // processors that other programs kept busy, on average
  double stolen = 0;        // share of time that the host of a virtual machine took away
  double waiting = 0;       // programs that wanted a processor at the end (the load average), over processors
  double clock_change = 0;  // of the processor's frequency: -0.1 is ten percent slower; 0 when the system does not say
  long throttled = 0;       // how often the processor slowed down because of heat
  std::string governor;     // of the frequency; empty when the system does not say
  std::size_t processors = 1;

  /// Sentences about what makes timings doubtful.
  std::vector<std::string> warnings() const;
};

/// Watches from its making until `stop`. Reads the folders a system has, `/proc` and `/sys`, below `root`.
class ConditionsWatch {
 public:
  explicit ConditionsWatch(std::filesystem::path root = "/");
  Conditions stop() const;

 private:
  /// Counters of the system and of this process.
  struct Counters {
    double busy_ticks = 0, stolen_ticks = 0, all_ticks = 0;
    double own_seconds = 0;
    double clock_hertz = 0;
    long throttled = 0;
    std::size_t processors = 0;
  };
  Counters read() const;

  std::filesystem::path root_;
  Counters start_;
};

}  // namespace hone

#include "plan/machine/processor.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include "plan/machine/machine_file.h"
#include "plan/machine/system_file.h"

namespace hone {
namespace {

constexpr double kUnknownClock = 2.5e9;
constexpr double kUsualMemoryRate = 20e9;

std::vector<double> cache_sizes() {
  std::vector<double> sizes;
  for (int index = 0; index < 8; ++index) {
    const std::filesystem::path folder = fmt::format("/sys/devices/system/cpu/cpu0/cache/index{}", index);
    const std::string size = first_line(folder / "size");
    if (size.empty() || first_line(folder / "type") == "Instruction") continue;
    sizes.push_back(number_or_zero(size) * (size.back() == 'M' ? 1 << 20 : 1 << 10));
  }
  return sizes;
}

std::size_t vector_bits() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return 512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return 256;
#endif
  return 128;
}

}  // namespace

Processor detect_processor() {
  Processor processor;
  const std::string model = system_field("/proc/cpuinfo", "model name");
  if (!model.empty()) processor.model = model;
  processor.threads = std::max(1U, std::thread::hardware_concurrency());
  processor.memory_bytes = number_or_zero(system_field("/proc/meminfo", "MemTotal")) * 1024;
  processor.clock_hertz = number_or_zero(system_field("/proc/cpuinfo", "cpu MHz")) * 1e6;
  processor.vector_bits = vector_bits();
  processor.cache_bytes = cache_sizes();
  return processor;
}

DeviceKind estimate_device(const Processor& processor) {
  const double clock = processor.clock_hertz > 0 ? processor.clock_hertz : kUnknownClock;
  const double floats = static_cast<double>(processor.vector_bits) / 32;
  const double flops = clock * static_cast<double>(processor.threads) * floats * 4;
  // How a small operation falls short of the peak is much the same on all processors of this sort: taken from one in
  // the set.
  DeviceKind kind = load_machine("cpu-gpu").kinds.front();
  kind.name = "cpu";
  kind.model = processor.model;
  kind.memory_bytes = processor.memory_bytes > 0 ? processor.memory_bytes : double{1 << 30};
  kind.bytes_per_second = kUsualMemoryRate;
  if (processor.cache_bytes.size() > 1) kind.scratch_bytes = processor.cache_bytes[1];
  kind.flops = {{ElementType::float32, flops}, {ElementType::float64, flops / 2}};
  return kind;
}

std::string describe_detected() {
  const Processor processor = detect_processor();
  std::string text = "# Estimated from the system's description; `hone hw calibrate` measures.\n";
  text += fmt::format("# {} threads, vectors of {} bits", processor.threads, processor.vector_bits);
  for (const double bytes : processor.cache_bytes) text += fmt::format(", cache {:.0f} KiB", bytes / 1024);
  return text + "\n" + toml_of_device(estimate_device(processor), "this-machine", processor.model);
}

std::string describe_calibrated(double thoroughness) {
  const Processor processor = detect_processor();
  return "# flops, bytes_per_second, launch_seconds and curves marked so are measured; the rest is estimated.\n" +
         toml_of_device(calibrate_device(processor, thoroughness), "this-machine", processor.model);
}

}  // namespace hone

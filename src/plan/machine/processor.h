#pragma once

#include <string>
#include <vector>

#include "plan/machine/machine.h"

namespace hone {

/// This computer's processor, as the system describes it.
struct Processor {
  std::string model = "unknown processor";
  std::size_t threads = 1;  // that this process may run on
  double memory_bytes = 0;
  double clock_hertz = 0;  // 0 when the system does not say
  std::size_t vector_bits = 128;
  std::vector<double> cache_bytes;  // data caches by level, from the smallest
};

/// Reads /proc and /sys; measures nothing.
Processor detect_processor();

/// A device estimated from the description alone: two fused multiply-adds of full vectors a cycle and thread.
DeviceKind estimate_device(const Processor& processor);

/// A device measured with short loops on all threads: multiply-add rate, memory rate, cost of handing work to a thread,
/// and how products of matrices, pointwise work, sums and copies of several sizes compare with those rates. At
/// thoroughness 1 it takes a few seconds, at less about as much less; other load on the machine makes it look slower
/// than it is.
DeviceKind calibrate_device(const Processor& processor, double thoroughness);

/// What `hone hw detect` and `hone hw calibrate` write: a machine file with one device.
std::string describe_detected();
std::string describe_calibrated(double thoroughness = 1);

}  // namespace hone

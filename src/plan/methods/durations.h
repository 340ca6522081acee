#pragma once

#include <span>
#include <vector>

#include "base/flat_lists.h"
#include "plan/problem/problem.h"

namespace hone {

/// How long everything takes that a schedule is made of, with the machine to itself. The problem must outlive it.
class Durations {
 public:
  /// One operation reads a buffer that another one makes.
  struct Read {
    BufferId buffer;
    OperationId other;     // who makes it, or who reads it
    bool is_free = false;  // moving it takes no time, wherever to
  };

  explicit Durations(const Problem& problem);

  const Problem& problem() const { return problem_; }
  const DeviceChoices& choices() const { return choices_; }

  /// What an operation reads of others, and what others read of it.
  std::span<const Read> reads(OperationId operation) const { return reads_[operation.index()]; }
  std::span<const Read> read_by(OperationId operation) const { return read_by_[operation.index()]; }

  /// Of an operation as a group of its own, on a device that can run it.
  double seconds(OperationId operation, DeviceId device) const {
    return seconds_[operation.index() * kinds_ + problem_.machine.device(device).kind];
  }
  /// Over the devices that can run it.
  double mean_seconds(OperationId operation) const;
  /// Of any operation on a device; none in an empty workload.
  double shortest_seconds(DeviceId device) const { return shortest_seconds_[problem_.machine.device(device).kind]; }
  /// Of moving a buffer; none to where it is.
  double transfer_seconds(BufferId buffer, DeviceId from, DeviceId to) const {
    if (from == to) return 0;
    const Buffer& moved = problem_.workload.buffer(buffer);
    if (moved.transfer_seconds >= 0) return moved.transfer_seconds;
    return problem_.machine.link(problem_.machine.route(from, to)).seconds(moved.bytes);
  }
  /// Of all transfers over a link that take any time; none when there are none.
  double shortest_transfer_seconds(LinkId link) const;
  /// Over all pairs of devices, those of a device with itself among them.
  double mean_transfer_seconds(BufferId buffer) const;

 private:
  void link_operations();

  const Problem& problem_;
  DeviceChoices choices_;
  std::size_t kinds_;
  std::vector<double> seconds_;                                              // by operation * kinds + kind
  std::vector<double> shortest_seconds_;                                     // by kind
  FlatLists<Read> reads_, read_by_;                                          // by operation
  double mean_latency_seconds_ = 0, mean_seconds_per_byte_ = 0, apart_ = 0;  // share of pairs that are two devices
};

/// Whether ranks count the transfers on the way.
enum class TransfersOnPath { ignored, averaged };

/// By operation: the longest path from its start to the end of the graph, each operation on an average device.
std::vector<double> seconds_to_the_end(const Durations& durations, TransfersOnPath transfers);

/// By operation: the longest path from the start of the graph to its end, each operation on an average device.
std::vector<double> seconds_from_the_start(const Durations& durations, TransfersOnPath transfers);

/// By operation: the seconds of everything that cannot start before it has ended, on average devices.
std::vector<double> seconds_held_up(const Durations& durations);

}  // namespace hone

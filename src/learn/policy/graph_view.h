#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/flat_lists.h"
#include "learn/network/graph_input.h"
#include "plan/problem/operation_time.h"
#include "plan/problem/problem.h"

namespace hone {

/// A problem as a policy sees it: what each operation makes, reads, weighs and takes, in flat tables. Buffers that
/// share memory are one buffer. Made once for a problem; the problem must outlive it.
class GraphView {
 public:
  explicit GraphView(const Problem& problem);

  /// One piece of memory.
  struct Buffer {
    double bytes = 0;
    std::uint32_t readers = 0;  // operations that must have ended before it can be given back
    bool is_output = false;     // never given back
    bool is_resident = false;   // a weight or input: held wherever a reader is
  };

  std::size_t operations() const { return reads_.size(); }
  std::size_t devices() const { return devices_; }
  const Problem& problem() const { return problem_; }
  const DeviceChoices& choices() const { return choices_; }
  std::span<const Buffer> buffers() const { return buffers_; }
  /// Buffers an operation makes, and those it reads; distinct.
  std::span<const std::uint32_t> makes(std::size_t operation) const { return makes_[operation]; }
  std::span<const std::uint32_t> reads(std::size_t operation) const { return reads_[operation]; }
  /// Edges between operations as networks read them: from what an operation waits for to the operation.
  NodeEdges edges() const { return {&before_, &after_}; }
  /// By edge, as they are numbered there: bytes that go along it.
  std::span<const double> edge_bytes() const { return edge_bytes_; }
  /// Operations in an order in which each comes after all that it waits for.
  std::span<const std::uint32_t> sequence() const { return sequence_; }
  /// Operations that wait for an operation, and how many operations each waits for; distinct.
  std::span<const std::uint32_t> after(std::size_t operation) const { return after_[operation]; }
  std::span<const std::uint32_t> before(std::size_t operation) const { return before_[operation]; }
  /// Seconds on a device; infinite where it cannot run.
  double seconds(std::size_t operation, std::size_t device) const { return seconds_[operation * devices_ + device]; }
  /// Seconds of the quickest device.
  double least_seconds(std::size_t operation) const;
  /// Seconds from the start of an operation to the end of everything, if nothing ever waits, by the quickest devices.
  double tail(std::size_t operation) const { return tail_[operation]; }
  /// Seconds before an operation can start, likewise.
  double head(std::size_t operation) const { return head_[operation]; }
  double critical_path() const { return critical_path_; }
  /// Bytes an operation makes; bytes it reads.
  double made_bytes(std::size_t operation) const { return made_bytes_[operation]; }
  double read_bytes(std::size_t operation) const { return read_bytes_[operation]; }
  double resident_bytes(std::size_t operation) const { return resident_bytes_[operation]; }

 private:
  void add_buffers(const Workload& workload);
  void add_neighbours(const Workload& workload);
  void add_times(const Workload& workload);

  const Problem& problem_;
  DeviceChoices choices_;
  std::size_t devices_;
  std::vector<Buffer> buffers_;
  FlatLists<std::uint32_t> makes_, reads_, after_, before_;  // by operation
  std::vector<std::uint32_t> sequence_;
  std::vector<double> edge_bytes_;
  std::vector<double> seconds_, tail_, head_, made_bytes_, read_bytes_, resident_bytes_;
  double critical_path_ = 0;
};

}  // namespace hone

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/flat_lists.h"
#include "base/id.h"
#include "graph/ir/element_type.h"
#include "plan/machine/operation_class.h"

namespace hone {

using OperationId = Id<struct OperationTag>;  // one unit of work: an operator, an HLO instruction, a task
using BufferId = Id<struct BufferTag>;        // one piece of data that operations read and writes

/// How a point of an operation's loop finds what it reads of one input.
enum class Access : std::uint8_t {
  same,   // point i reads element i
  row,    // points that follow one another read the same one of several elements: point i element i * elements / points
  other,  // anything else: one element for all, the same elements for every row, transposed, windows, tables
};

/// The loop in which an operation can be computed point by point, for whoever asks what may share a kernel.
struct Loop {
  enum class Kind : std::uint8_t {
    none,         // not known, or no loop: the operation runs alone
    map,          // every result by itself: pointwise, broadcast, movement, views
    rows,         // results depend on all points of a row, which follow one another: softmax, sums over the last axes
    columns,      // a reduction over other axes
    contraction,  // a matrix product or a convolution
  };

  Kind kind = Kind::none;
  double points = 0;          // gone through: those of what a reduction reads, else of what is written
  double rows = 0;            // how many rows or columns; of anything else as many as there are points
  double results = 0;         // elements of every output: `points` or `rows`
  std::vector<Access> reads;  // by input of the operation
};

/// One unit of work. Its time on a device comes from flops and bytes by the machine's roofline, unless the source of
/// the problem states seconds itself.
struct Operation {
  std::string name;
  std::string op;  // what the source calls it: `Conv`, `fusion`, `task`
  OperationClass operation_class = OperationClass::opaque;
  ElementType element = ElementType::float32;  // what it computes in
  double flops = 0;
  double bytes = 0;  // that cross memory when it runs alone
  std::vector<double>
      seconds;  // by device kind (see Workload::device_kinds), NaN where it cannot run; empty: use the roofline
  std::uint32_t colocate = 0;  // operations of the same non-zero class must share a device
  bool backward = false;       // part of the backward pass of a training graph
  Loop loop;
};

/// One piece of data.
struct Buffer {
  enum class Kind : std::uint8_t { activation, weight, input };

  std::string name;
  double bytes = 0;
  Kind kind = Kind::activation;
  bool is_output = false;        // a result of the whole graph: lives to the end
  OperationId producer;          // none for weights and inputs
  BufferId alias_of;             // shares the memory of another buffer (views, in-place updates); none usually
  double transfer_seconds = -1;  // stated time to move it between devices; negative: use the machine's links
};

/// What has to be run, reduced to what planning needs: operation, the data between it, sizes and costs. ONNX graphs,
/// HLO modules, cost graphs and task sets all become one of these; every plan, simulator and bound speaks in its ids.
///
/// Immutable once built. Adjacency is stored flat, so that walking a million operations touches memory in order.
class Workload {
 public:
  std::string name;
  /// Names the columns of Operation::seconds; empty when every time comes from the roofline.
  std::vector<std::string> device_kinds;
  /// Order in which the source lists the work, when it is a schedule of its own (HLO with is_scheduled); empty
  /// otherwise.
  std::vector<OperationId> given_order;

  std::size_t operation_count() const { return operations_.size(); }
  std::size_t buffer_count() const { return buffers_.size(); }
  const Operation& operation(OperationId id) const { return operations_[id.index()]; }
  const Buffer& buffer(BufferId id) const { return buffers_[id.index()]; }

  /// Distinct buffers an operation reads.
  std::span<const BufferId> inputs(OperationId id) const { return inputs_[id.index()]; }
  std::span<const BufferId> outputs(OperationId id) const { return outputs_[id.index()]; }
  /// Distinct operations that read a buffer, ascending.
  std::span<const OperationId> readers(BufferId id) const { return readers_[id.index()]; }

  /// Operations such that producers come before readers; index order where that is valid.
  std::span<const OperationId> topological_order() const { return order_; }

 private:
  friend class WorkloadBuilder;

  std::vector<Operation> operations_;
  std::vector<Buffer> buffers_;
  FlatLists<BufferId> inputs_, outputs_;  // by operation
  FlatLists<OperationId> readers_;        // by buffer
  std::vector<OperationId> order_;
};

/// Collects operations and buffers and turns them into a Workload.
class WorkloadBuilder {
 public:
  explicit WorkloadBuilder(std::string name) { workload_.name = std::move(name); }

  BufferId add_buffer(Buffer buffer);
  /// `outputs` must have no producer yet; it is set here. Repeated inputs count once; one that is read in two ways is
  /// read in some other way.
  OperationId add_operation(Operation operation, std::span<const BufferId> inputs, std::span<const BufferId> outputs);
  /// An order without data: a buffer of no bytes written by `before` and read by `after`.
  void add_dependency(OperationId before, OperationId after);
  void set_device_kinds(std::vector<std::string> kinds) { workload_.device_kinds = std::move(kinds); }
  void set_given_order(std::vector<OperationId> order) { workload_.given_order = std::move(order); }

  /// Throws InputError naming an operation on a cycle, a buffer that aliases itself, or a negative or non-finite size
  /// or cost.
  Workload build() &&;

 private:
  Workload workload_;
  std::vector<std::vector<BufferId>> inputs_, outputs_;
  std::vector<OperationId> last_reader_;  // by buffer: the last operation added that reads it
};

}  // namespace hone

#include <algorithm>
#include <cmath>
#include <queue>

#include "plan/search/optimizer.h"

namespace hone {
namespace {

/// Follows one order of operations and what every device holds meanwhile: of all operations that are ready the one that
/// adds the least memory comes next, on the device that then holds the least.
class MemoryGreedy final : public Optimizer {
 public:
  void run(Search& search) override {
    Order order(search.problem());
    Plan plan = search.start();
    plan.priority.resize(plan.device_of.size());
    float priority = 0;
    for (OperationId operation = order.next(); operation.valid(); operation = order.next()) {
      plan.device_of[operation.index()] = order.place(operation);
      plan.priority[operation.index()] = priority--;
    }
    search.evaluate(search.task().encode(plan));
  }

 private:
  class Order {
   public:
    explicit Order(const Problem& problem)
        : workload_(problem.workload),
          choices_(problem),
          decided_(choices_.count()),
          held_(problem.machine.device_count()),
          devices_(workload_.operation_count()),
          waiting_(workload_.operation_count()),
          unread_(workload_.buffer_count()),
          done_(workload_.operation_count()) {
      for (std::size_t i = 0; i < workload_.buffer_count(); ++i) unread_[i] = workload_.readers(BufferId(i)).size();
      for (const OperationId operation : workload_.topological_order()) {
        for (const BufferId input : workload_.inputs(operation))
          waiting_[operation.index()] += is_produced(input) ? 1 : 0;
        if (waiting_[operation.index()] == 0) offer(operation);
      }
    }

    /// The ready operation that adds the least; none when all are done.
    OperationId next() {
      while (!ready_.empty()) {
        const Offer offer = ready_.top();
        ready_.pop();
        // An older offer of an operation whose figure has changed since is stale.
        if (!done_[offer.operation.index()] && offer.bytes == added_bytes(offer.operation)) return offer.operation;
      }
      return {};
    }

    DeviceId place(OperationId operation) {
      const std::size_t choice = choices_.choice_of(operation);
      if (!decided_[choice].valid())
        decided_[choice] = *std::ranges::min_element(choices_.devices(choice), {},
                                                     [&](DeviceId device) { return held_on(operation, device); });
      const DeviceId device = decided_[choice];
      devices_[operation.index()] = device;
      done_[operation.index()] = true;
      for (const BufferId output : workload_.outputs(operation)) {
        held_[device.index()] += bytes_of(output);
        if (unread_[output.index()] == 0) release(output);
        for (const OperationId reader : workload_.readers(output))
          if (--waiting_[reader.index()] == 0) offer(reader);
      }
      for (const BufferId input : workload_.inputs(operation)) read(input);
      return device;
    }

   private:
    struct Offer {
      double bytes = 0;
      OperationId operation;
      bool operator<(const Offer& other) const {
        return bytes != other.bytes ? bytes > other.bytes : operation > other.operation;
      }
    };

    bool is_produced(BufferId buffer) const { return workload_.buffer(buffer).producer.valid(); }
    double bytes_of(BufferId buffer) const {
      return workload_.buffer(buffer).alias_of.valid() ? 0 : workload_.buffer(buffer).bytes;
    }
    DeviceId home(BufferId buffer) const { return devices_[workload_.buffer(buffer).producer.index()]; }

    /// What is made less what nobody needs afterwards.
    double added_bytes(OperationId operation) const {
      double bytes = 0;
      for (const BufferId output : workload_.outputs(operation)) bytes += bytes_of(output);
      for (const BufferId input : workload_.inputs(operation))
        if (is_produced(input) && unread_[input.index()] == 1 && !workload_.buffer(input).is_output)
          bytes -= bytes_of(input);
      return bytes;
    }

    /// What a device would hold while it runs an operation there: copies of inputs from elsewhere count.
    double held_on(OperationId operation, DeviceId device) const {
      double bytes = held_[device.index()];
      for (const BufferId output : workload_.outputs(operation)) bytes += bytes_of(output);
      for (const BufferId input : workload_.inputs(operation))
        if (is_produced(input) && home(input) != device) bytes += bytes_of(input);
      return bytes;
    }

    void offer(OperationId operation) { ready_.push({added_bytes(operation), operation}); }

    void read(BufferId input) {
      if (!is_produced(input)) return;
      --unread_[input.index()];
      if (unread_[input.index()] == 0) release(input);
      if (unread_[input.index()] != 1) return;
      for (const OperationId reader : workload_.readers(input))
        if (!done_[reader.index()] && waiting_[reader.index()] == 0) offer(reader);
    }

    void release(BufferId buffer) {
      if (!workload_.buffer(buffer).is_output) held_[home(buffer).index()] -= bytes_of(buffer);
    }

    const Workload& workload_;
    DeviceChoices choices_;
    std::vector<DeviceId> decided_;     // by choice
    std::vector<double> held_;          // by device
    std::vector<DeviceId> devices_;     // by operation
    std::vector<std::size_t> waiting_;  // by operation: inputs not made yet
    std::vector<std::size_t> unread_;   // by buffer: readers to come
    std::vector<bool> done_;            // by operation
    std::priority_queue<Offer> ready_;
  };
};

const OptimizerKind memory_greedy_kind("memory-greedy", "what adds least memory first, where least is held",
                                       [](std::string_view parameters) {
                                         Parameters().parse(parameters);
                                         return std::make_unique<MemoryGreedy>();
                                       });

}  // namespace
}  // namespace hone

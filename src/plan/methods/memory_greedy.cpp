#include <algorithm>
#include <cmath>
#include <queue>

#include "plan/search/optimizer.h"

namespace hone {
namespace {

/// Follows one order of work and what every device holds meanwhile: of all works that are ready the one that adds the
/// least memory comes next, on the device that then holds the least.
class MemoryGreedy final : public Optimizer {
 public:
  void run(Search& search) override {
    Order order(search.problem());
    Plan plan = search.start();
    plan.priority.resize(plan.device_of.size());
    float priority = 0;
    for (WorkId work = order.next(); work.valid(); work = order.next()) {
      plan.device_of[work.index()] = order.place(work);
      plan.priority[work.index()] = priority--;
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
          devices_(workload_.work_count()),
          waiting_(workload_.work_count()),
          unread_(workload_.buffer_count()),
          done_(workload_.work_count()) {
      for (std::size_t i = 0; i < workload_.buffer_count(); ++i) unread_[i] = workload_.readers(BufferId(i)).size();
      for (const WorkId work : workload_.topological_order()) {
        for (const BufferId input : workload_.inputs(work)) waiting_[work.index()] += is_produced(input) ? 1 : 0;
        if (waiting_[work.index()] == 0) offer(work);
      }
    }

    /// The ready work that adds the least; none when all are done.
    WorkId next() {
      while (!ready_.empty()) {
        const Offer offer = ready_.top();
        ready_.pop();
        // An older offer of a work whose figure has changed since is stale.
        if (!done_[offer.work.index()] && offer.bytes == added_bytes(offer.work)) return offer.work;
      }
      return {};
    }

    DeviceId place(WorkId work) {
      const std::size_t choice = choices_.choice_of(work);
      if (!decided_[choice].valid())
        decided_[choice] = *std::ranges::min_element(choices_.devices(choice), {},
                                                     [&](DeviceId device) { return held_on(work, device); });
      const DeviceId device = decided_[choice];
      devices_[work.index()] = device;
      done_[work.index()] = true;
      for (const BufferId output : workload_.outputs(work)) {
        held_[device.index()] += bytes_of(output);
        if (unread_[output.index()] == 0) release(output);
        for (const WorkId reader : workload_.readers(output))
          if (--waiting_[reader.index()] == 0) offer(reader);
      }
      for (const BufferId input : workload_.inputs(work)) read(input);
      return device;
    }

   private:
    struct Offer {
      double bytes = 0;
      WorkId work;
      bool operator<(const Offer& other) const {
        return bytes != other.bytes ? bytes > other.bytes : work > other.work;
      }
    };

    bool is_produced(BufferId buffer) const { return workload_.buffer(buffer).producer.valid(); }
    double bytes_of(BufferId buffer) const {
      return workload_.buffer(buffer).alias_of.valid() ? 0 : workload_.buffer(buffer).bytes;
    }
    DeviceId home(BufferId buffer) const { return devices_[workload_.buffer(buffer).producer.index()]; }

    /// What is made less what nobody needs afterwards.
    double added_bytes(WorkId work) const {
      double bytes = 0;
      for (const BufferId output : workload_.outputs(work)) bytes += bytes_of(output);
      for (const BufferId input : workload_.inputs(work))
        if (is_produced(input) && unread_[input.index()] == 1 && !workload_.buffer(input).is_output)
          bytes -= bytes_of(input);
      return bytes;
    }

    /// What a device would hold while it runs a work there: copies of inputs from elsewhere count.
    double held_on(WorkId work, DeviceId device) const {
      double bytes = held_[device.index()];
      for (const BufferId output : workload_.outputs(work)) bytes += bytes_of(output);
      for (const BufferId input : workload_.inputs(work))
        if (is_produced(input) && home(input) != device) bytes += bytes_of(input);
      return bytes;
    }

    void offer(WorkId work) { ready_.push({added_bytes(work), work}); }

    void read(BufferId input) {
      if (!is_produced(input)) return;
      --unread_[input.index()];
      if (unread_[input.index()] == 0) release(input);
      if (unread_[input.index()] != 1) return;
      for (const WorkId reader : workload_.readers(input))
        if (!done_[reader.index()] && waiting_[reader.index()] == 0) offer(reader);
    }

    void release(BufferId buffer) {
      if (!workload_.buffer(buffer).is_output) held_[home(buffer).index()] -= bytes_of(buffer);
    }

    const Workload& workload_;
    DeviceChoices choices_;
    std::vector<DeviceId> decided_;     // by choice
    std::vector<double> held_;          // by device
    std::vector<DeviceId> devices_;     // by work
    std::vector<std::size_t> waiting_;  // by work: inputs not made yet
    std::vector<std::size_t> unread_;   // by buffer: readers to come
    std::vector<bool> done_;            // by work
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

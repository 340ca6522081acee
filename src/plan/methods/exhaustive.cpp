#include <algorithm>

#include "plan/search/optimizer.h"

namespace hone {
namespace {

/// Tries every placement with every order of work, which only tiny graphs allow. An order that keeps to what operations
/// read is enough: whatever the priorities, those in the order of starts lead to the same plan. When it has come to the
/// end it has proved its best plan, for any objective that does not depend on the order of transfers.
class Exhaustive final : public Optimizer {
 public:
  void run(Search& search) override {
    const Problem& problem = search.problem();
    const Workload& workload = problem.workload;
    if (search.task().sites().empty()) return;
    const DeviceChoices choices(problem);
    waiting_.assign(workload.operation_count(), 0);
    for (const OperationId operation : workload.topological_order())
      for (const BufferId input : workload.inputs(operation))
        waiting_[operation.index()] += workload.buffer(input).producer.valid() ? 1 : 0;
    option_.assign(choices.count(), 0);
    plan_ = search.start();
    plan_.priority.assign(workload.operation_count(), 0);
    do {
      for (std::size_t i = 0; i < workload.operation_count(); ++i) {
        const std::size_t choice = choices.choice_of(OperationId(i));
        plan_.device_of[i] = choices.devices(choice)[option_[choice]];
      }
      extend(search, 0);
    } while (!search.spent() && next_placement(choices));
    flush(search);
    if (!search.spent() && search.best().excess == 0) search.prove(search.best().value);
  }

 private:
  static constexpr std::size_t kBatch = 256;

  /// Counts through the options of all choices like an odometer; false after the last.
  bool next_placement(const DeviceChoices& choices) {
    for (std::size_t choice = 0; choice < choices.count(); ++choice) {
      if (++option_[choice] < choices.devices(choice).size()) return true;
      option_[choice] = 0;
    }
    return false;
  }

  /// Every way to go on after `done` operations.
  void extend(Search& search, std::size_t done) {
    const Workload& workload = search.problem().workload;
    if (done == workload.operation_count()) {
      const Decisions row = search.task().encode(plan_);
      rows_.insert(rows_.end(), row.begin(), row.end());
      if (rows_.size() >= kBatch * row.size()) flush(search);
      return;
    }
    for (std::size_t i = 0; i < workload.operation_count() && !search.spent(); ++i) {
      if (waiting_[i] != 0) continue;
      waiting_[i] = kTaken;
      plan_.priority[i] = -static_cast<float>(done);
      count_readers(workload, OperationId(i), -1);
      extend(search, done + 1);
      count_readers(workload, OperationId(i), 1);
      waiting_[i] = 0;
    }
  }

  void count_readers(const Workload& workload, OperationId operation, std::int64_t change) {
    for (const BufferId output : workload.outputs(operation))
      for (const OperationId reader : workload.readers(output)) waiting_[reader.index()] += change;
  }

  void flush(Search& search) {
    search.evaluate(rows_);
    rows_.clear();
  }

  static constexpr std::int64_t kTaken = -1;

  Plan plan_;
  std::vector<std::size_t> option_;    // by choice of device
  std::vector<std::int64_t> waiting_;  // by operation: inputs that are not made yet
  Decisions rows_;
};

const OptimizerKind exhaustive_kind("exhaustive", "every placement with every order, for tiny graphs",
                                    [](std::string_view parameters) {
                                      Parameters().parse(parameters);
                                      return std::make_unique<Exhaustive>();
                                    });

}  // namespace
}  // namespace hone

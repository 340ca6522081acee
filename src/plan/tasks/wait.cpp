#include "plan/search/task.h"

namespace hone {
namespace {

/// One decision about the whole plan: whether devices wait for what is next in line.
class WaitTask final : public Task {
 public:
  WaitTask(const Problem&, const Plan&) { add_site({.field = PlanField::waiting, .options = kOptions}); }

  void apply(std::span<const float> keys, Plan& plan) const override {
    plan.waiting = option_of(keys[0], kOptions) == 0 ? Waiting::never : Waiting::in_line;
  }

  Decisions encode(const Plan& plan) const override {
    return {key_of(plan.waiting == Waiting::never ? 0 : 1, kOptions)};
  }

 private:
  static constexpr std::uint32_t kOptions = 2;
};

const TaskKind wait_kind = TaskKind::without_parameters<WaitTask>(
    "wait", "whether devices leave what is ready for what is next in the order of priorities");

}  // namespace
}  // namespace hone

#include "plan/search/task.h"

#include <algorithm>

namespace hone {
namespace {

class JoinedTask final : public Task {
 public:
  explicit JoinedTask(std::vector<std::unique_ptr<Task>> parts) : parts_(std::move(parts)) {
    for (const std::unique_ptr<Task>& part : parts_)
      sites_.insert(sites_.end(), part->sites().begin(), part->sites().end());
  }

  void apply(std::span<const float> keys, Plan& plan) const override {
    for (const std::unique_ptr<Task>& part : parts_) {
      part->apply(keys.first(part->sites().size()), plan);
      keys = keys.subspan(part->sites().size());
    }
  }

  Decisions encode(const Plan& plan) const override {
    Decisions all;
    for (const std::unique_ptr<Task>& part : parts_) {
      const Decisions some = part->encode(plan);
      all.insert(all.end(), some.begin(), some.end());
    }
    return all;
  }

  std::vector<std::uint32_t> sites_about(OperationId operation) const override {
    std::vector<std::uint32_t> all;
    std::size_t before = 0;
    for (const std::unique_ptr<Task>& part : parts_) {
      for (const std::uint32_t site : part->sites_about(operation))
        all.push_back(static_cast<std::uint32_t>(before + site));
      before += part->sites().size();
    }
    return all;
  }

 private:
  std::vector<std::unique_ptr<Task>> parts_;
};

}  // namespace

std::unique_ptr<Task> make_task(const Problem& problem, std::string_view names) {
  std::vector<std::unique_ptr<Task>> tasks;
  for (bool more = true; more;) {
    const std::size_t plus = names.find('+');
    tasks.push_back(TaskKind::make_by(names.substr(0, plus), problem));
    more = plus != std::string_view::npos;
    if (more) names.remove_prefix(plus + 1);
  }
  return std::make_unique<JoinedTask>(std::move(tasks));
}

Decisions keys_in_order(std::span<const float> priorities) {
  std::vector<float> distinct(priorities.begin(), priorities.end());
  std::ranges::sort(distinct);
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  Decisions keys;
  for (const float priority : priorities) {
    const auto rank = std::ranges::lower_bound(distinct, priority) - distinct.begin();
    keys.push_back(key_of(static_cast<std::uint32_t>(rank), static_cast<std::uint32_t>(distinct.size())));
  }
  return keys;
}

}  // namespace hone

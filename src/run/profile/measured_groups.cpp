#include "run/profile/measured_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "plan/problem/group_kernels.h"
#include "plan/problem/kernel_key.h"
#include "plan/problem/plan_file.h"
#include "run/measure/pinning.h"
#include "run/profile/group_profile.h"
#include "run/profile/group_records.h"

namespace hone {
namespace {

constexpr double kBytesAtOnce = 2e9;  // of models in memory, about
constexpr std::size_t kMostPlansAtOnce = 50;

}  // namespace

MeasuredGroups::MeasuredGroups(std::shared_ptr<const Runtime> runtime, const Model& model, GroupMeasuring measuring,
                               const ProfileTable& known)
    : runtime_(std::move(runtime)),
      model_(model),
      made_ready_(runtime_->start(1)->optimized({model_, {}})),
      measuring_(std::move(measuring)),
      problem_(problem_on(*runtime_, model_)),
      content_(made_ready_, problem_.workload),
      options_key_(hash_text(runtime_->describe(measuring_.options, measuring_.threads).dump())),
      context_(group_conditions(*runtime_, measuring_.threads)),
      alone_(plan_on_one_device(problem_.workload)) {
  for (const NodeTiming& timing : known.records())
    if (const auto key = group_key_in(timing.config); key && timing.context == context_)
      seconds_[*key] = timing.seconds;
  measure_new({&alone_, 1});
}

std::vector<std::uint64_t> MeasuredGroups::keys_of(const Plan& plan) const {
  std::vector<std::uint64_t> keys;
  for_each_kernel(problem_.workload, plan, [&](const GroupContents&, GroupId, const KernelView& kernel) {
    keys.push_back(mix(content_.key(kernel), options_key_));
  });
  return keys;
}

bool MeasuredGroups::is_known(std::span<const std::uint64_t> keys) const {
  return std::ranges::all_of(keys, [&](std::uint64_t key) { return seconds_.contains(key); });
}

void MeasuredGroups::measure(std::span<const Plan> plans) {
  const std::lock_guard lock(one_at_a_time_);
  measure_new(plans);
}

void MeasuredGroups::measure_new(std::span<const Plan> plans) {
  std::vector<Plan> unknown;
  for (const Plan& plan : plans)
    if (!is_known(keys_of(plan))) unknown.push_back(plan);
  for (std::size_t first = 0; first < unknown.size(); first += plans_at_once())
    time_at_once(std::span(unknown).subspan(first, std::min(plans_at_once(), unknown.size() - first)));
}

void MeasuredGroups::time_at_once(std::span<const Plan> plans) {
  std::vector<RuntimeOptions> options{options_by(alone_)};
  for (const Plan& plan : plans) options.push_back(options_by(plan));
  const std::string text = text_of_child([&] {
    pin_process(measuring_.threads);
    const auto host = runtime_->start(measuring_.threads);
    return nlohmann::json(host->time_groups({model_, {}}, options, measuring_.inputs, measuring_.runs)).dump();
  });
  plans_run_ += plans.size();
  const auto times = nlohmann::json::parse(text).get<std::vector<std::vector<double>>>();
  for (std::size_t i = 0; i < times.size(); ++i)
    if (const Plan& plan = i == 0 ? alone_ : plans[i - 1]; times[i].size() != plan.group_count())
      fail_usage("{} runs '{}' by no plan, so that it has no groups to time", runtime_->title(), model_.source);
  double now = 0, before = 0;
  for (const double each : times[0]) now += each;
  const std::vector<std::uint64_t> alone = keys_of(alone_);
  if (is_known(alone))
    for (const std::uint64_t key : alone) before += seconds_.at(key);
  const double slowness = now > 0 && before > 0 ? now / before : 1;
  KernelTimes found;
  const auto add = [&](const Plan& plan, std::span<const double> seconds) {
    const std::vector<std::uint64_t> keys = keys_of(plan);
    for (std::size_t i = 0; i < keys.size(); ++i) found.add(keys[i], seconds[i] / slowness);
  };
  add(alone_, times[0]);
  for (std::size_t i = 0; i < plans.size(); ++i) add(plans[i], times[i + 1]);
  keep(alone_, found);
  for (const Plan& plan : plans) keep(plan, found);
}

/// Those groups of a plan that were not known; of what occurs several times, in whatever plans, the mean.
void MeasuredGroups::keep(const Plan& plan, const KernelTimes& found) {
  const std::vector<std::uint64_t> keys = keys_of(plan);
  const GroupContents contents(problem_.workload, plan);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const double mean = *found.seconds(keys[i]);
    if (!seconds_.try_emplace(keys[i], mean).second) continue;
    records_.add({.context = context_,
                  .config = group_config(keys[i], contents.text(GroupId(i))),
                  .seconds = mean,
                  .p10 = mean,
                  .p90 = mean,
                  .samples = measuring_.runs});
  }
}

RuntimeOptions MeasuredGroups::options_by(const Plan& plan) const {
  const std::filesystem::path file = folder_.path() / "plan.json";
  save_plan(file, problem_.workload, problem_.machine, plan);
  return runtime_->by_plan(model_, file, measuring_.options);
}

/// As many as fit: no two processes are alike.
std::size_t MeasuredGroups::plans_at_once() const {
  double weights = 1e6;
  for (std::size_t i = 0; i < problem_.workload.buffer_count(); ++i)
    if (const Buffer& buffer = problem_.workload.buffer(BufferId(i)); buffer.kind == Buffer::Kind::weight)
      weights += 4 * buffer.bytes;  // Winograd's are larger than what they are made of
  return std::clamp<std::size_t>(static_cast<std::size_t>(kBytesAtOnce / weights), 1, kMostPlansAtOnce);
}

std::vector<double> MeasuredGroups::group_seconds(const Plan& plan) {
  const std::lock_guard lock(one_at_a_time_);
  const std::vector<std::uint64_t> keys = keys_of(plan);
  if (!is_known(keys)) time_at_once({&plan, 1});
  std::vector<double> found;
  for (const std::uint64_t key : keys) found.push_back(seconds_.at(key));
  return found;
}

double MeasuredGroups::seconds(const Plan& plan) {
  double sum = 0;
  for (const double each : group_seconds(plan)) sum += each;
  return sum;
}

std::optional<double> MeasuredGroups::known_seconds(const KernelView& group) const {
  const std::lock_guard lock(one_at_a_time_);
  const auto found = seconds_.find(mix(content_.key(group), options_key_));
  return found == seconds_.end() ? std::nullopt : std::optional(found->second);
}

std::shared_ptr<const KernelTimes> MeasuredGroups::kernel_times(std::span<const Plan> plans) {
  measure(plans);
  auto times = std::make_shared<KernelTimes>();
  for (const Plan& plan : plans) {
    const std::vector<double> seconds = group_seconds(plan);
    for_each_kernel(problem_.workload, plan, [&](const GroupContents&, GroupId id, const KernelView& kernel) {
      times->add(kernel_key(problem_.workload, kernel), seconds[id.index()]);
    });
  }
  return times;
}

}  // namespace hone

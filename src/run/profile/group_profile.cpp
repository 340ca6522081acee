#include "run/profile/group_profile.h"

#include <nlohmann/json.hpp>

#include "base/child_process.h"
#include "base/output_file.h"
#include "plan/machine/machine_file.h"
#include "plan/problem/group_kernels.h"
#include "plan/problem/kernel_key.h"
#include "plan/problem/lower.h"
#include "plan/problem/plan_file.h"

namespace hone {
namespace {

/// The problem that a plan was made for: of the model as it is, or as the runtime makes it ready.
Problem problem_of_plan(const Runtime& runtime, const Model& model, const std::filesystem::path& plan) {
  Problem problem{.workload = lower(model), .machine = load_machine(machine_name_in_plan(plan)), .sharding = {}};
  if (!is_plan_for(plan, problem.workload)) problem.workload = problem_on(runtime, model).workload;
  return problem;
}

}  // namespace

Problem problem_on(const Runtime& runtime, const Model& model) {
  return {.workload = lower(runtime.start(1)->optimized({model, {}})),
          .machine = load_machine(runtime.plan_machine()),
          .sharding = {}};
}

std::optional<GroupProfile> profile_groups(const Runtime& runtime, const Model& model, const GroupTiming& timing) {
  const std::string text = runtime.plan_of(model, timing.options);
  if (text.empty()) return std::nullopt;
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "plan.json";
  OutputFile written(file);
  written.write(text);
  written.commit();
  GroupProfile profile{.problem = problem_of_plan(runtime, model, file), .plan = {}, .seconds = {}};
  profile.plan = load_plan(file, profile.problem.workload, profile.problem.machine);
  const std::string times = text_of_child([&] {
    const auto host = runtime.start(timing.threads);
    return nlohmann::json(host->time_groups({model, {}}, {&timing.options, 1}, timing.inputs, timing.runs)).dump();
  });
  profile.seconds = nlohmann::json::parse(times).at(0).get<std::vector<double>>();
  if (profile.seconds.size() != profile.plan.group_count()) return std::nullopt;
  return profile;
}

void add_times(const GroupProfile& profile, KernelTimes& times) {
  for_each_kernel(profile.problem.workload, profile.plan,
                  [&](const GroupContents&, GroupId group, const KernelView& kernel) {
                    times.add(kernel_key(profile.problem.workload, kernel), profile.seconds[group.index()]);
                  });
}

}  // namespace hone

#include "deliver/plan_moves.h"

#include <map>

#include "base/child_process.h"
#include "base/output_file.h"
#include "plan/problem/plan_file.h"
#include "plan/search/search.h"
#include "plan/solve/solve.h"
#include "run/profile/group_profile.h"
#include "run/profile/measured_cost.h"
#include "run/verify/inputs.h"

namespace hone {
namespace {

constexpr std::size_t kGroupRuns = 7;
constexpr std::uint64_t kPlansTried = 3000;
constexpr double kSearchSeconds = 5;

/// A model that plans are made for.
struct PlannedProposal {
  std::shared_ptr<const Model> model;
  Model made_static;
  Problem problem;
};

/// Makes plans for proposals; keeps what was measured of the last model.
class PlanMaker {
 public:
  explicit PlanMaker(PlanMoveRequest request) : request_(std::move(request)) {}

  /// Groups by an optimiser.
  RuntimeOptions grouped(const Proposal& from, std::string_view optimizer) {
    const PlannedProposal& planned = planned_for(from.model);
    return obeying(planned, solve(planned.problem, "fuse-edges", optimizer, settings()).plan, from.options);
  }

  /// Groups by advantages of single decisions: what every group takes that the search comes upon is measured.
  RuntimeOptions measured(const Proposal& from) {
    const PlannedProposal& planned = planned_for(from.model);
    const Plan start = current_plan(planned, from.options);
    const MeasuredCost cost(std::make_shared<MeasuredGroups>(
        request_.runtime, planned.made_static,
        GroupMeasuring{.inputs = inputs_of(planned), .options = from.options, .threads = request_.threads}));
    const std::unique_ptr<Task> task = make_task(planned.problem, "fuse-edges", start);
    SearchSettings within = settings();
    within.budget = {.seconds = request_.measuring_seconds()};
    Search search(planned.problem, *task, cost, start, within);
    make_optimizer("advantage")->run(search);
    return obeying(planned, search.finish().plan, from.options);
  }

  /// The same groups in an order that holds the least at a time, so that more of it stays in the caches.
  RuntimeOptions reordered(const Proposal& from) {
    const PlannedProposal& planned = planned_for(from.model);
    Problem problem = planned.problem;
    problem.objective = Objective::peak_bytes;
    const auto optimizer = make_optimizer("local");
    const Plan start = current_plan(planned, from.options);
    return obeying(planned, Solver(problem, "schedule", start).solve(*optimizer, settings()).plan, from.options);
  }

 private:
  SearchSettings settings() const {
    return {.budget = {.evaluations = kPlansTried, .seconds = kSearchSeconds},
            .seed = request_.seed,
            .show_progress = false};
  }

  const PlannedProposal& planned_for(const std::shared_ptr<const Model>& model) {
    if (last_ && last_->model == model) return *last_;
    last_ = std::make_unique<PlannedProposal>();
    last_->model = model;
    last_->made_static = request_.made_static(*model);
    last_->problem = problem_on(*request_.runtime, last_->made_static);
    measure(*last_);
    return *last_;
  }

  /// Times of operations alone, and of the groups that the runtime makes itself.
  void measure(PlannedProposal& planned) const {
    auto times = std::make_shared<KernelTimes>();
    const Plan alone = solve(planned.problem, "fuse-edges", "fuse-none", settings()).plan;
    for (const RuntimeOptions& options : {obeying(planned, alone, {}), RuntimeOptions()}) {
      GroupTiming timing{.options = options, .runs = kGroupRuns};
      timing.inputs = inputs_of(planned);
      if (const auto profile = profile_groups(*request_.runtime, planned.made_static, timing))
        add_times(*profile, *times);
    }
    for (DeviceKind& kind : planned.problem.machine.kinds) kind.kernel_times = times;
  }

  std::vector<Datum> inputs_of(const PlannedProposal& planned) const {
    return given_inputs(planned.made_static, request_.input_files, request_.seed);
  }

  RuntimeOptions obeying(const PlannedProposal& planned, const Plan& plan, const RuntimeOptions& options) const {
    const std::filesystem::path file = folder_.path() / "plan.json";
    save_plan(file, planned.problem.workload, planned.problem.machine, plan);
    return request_.runtime->by_plan(planned.made_static, file, options);
  }

  Plan current_plan(const PlannedProposal& planned, const RuntimeOptions& options) const {
    return parse_plan(request_.runtime->plan_of(planned.made_static, options), "plan", planned.problem.workload,
                      planned.problem.machine);
  }

  PlanMoveRequest request_;
  TemporaryFolder folder_;
  std::unique_ptr<PlannedProposal> last_;
};

Move plan_move(const std::string& name, std::function<RuntimeOptions(const Proposal&)> options) {
  return {.kind = Move::Kind::option,
          .name = name,
          .apply = [name, options = std::move(options)](const Proposal& from) -> std::optional<Proposal> {
            Proposal to = from;
            to.options = options(from);
            to.steps.push_back({.part = Part::plan, .name = name});
            return to;
          }};
}

}  // namespace

std::vector<Move> plan_moves(const PlanMoveRequest& request) {
  if (request.runtime->plan_machine().empty()) return {};
  const auto maker = std::make_shared<PlanMaker>(request);
  std::vector<Move> moves;
  for (const auto& [name, optimizer] : {std::pair<const char*, const char*>{"kernels by priority", "fuse-priority"},
                                        {"kernels by merging", "fuse-merging"},
                                        {"kernels by search", "fuse-priority+fuse-all+fuse-merging+local"}})
    moves.push_back(plan_move(name, [maker, optimizer = std::string(optimizer)](const Proposal& from) {
      return maker->grouped(from, optimizer);
    }));
  if (request.measuring_seconds)
    moves.push_back(
        plan_move("kernels by advantages", [maker](const Proposal& from) { return maker->measured(from); }));
  moves.push_back(plan_move("order of least memory", [maker](const Proposal& from) { return maker->reordered(from); }));
  return moves;
}

}  // namespace hone

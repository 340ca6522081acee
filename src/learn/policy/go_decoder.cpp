#include "learn/policy/go_decoder.h"

#include <algorithm>
#include <cmath>

#include "plan/methods/neighbour_pull.h"

namespace hone {
namespace {

constexpr float kNowhereElse = 1e30F;  // seconds that nothing is worth
/// As shares of the time of the plan before: what it costs to run elsewhere than the policy wants, a level of order,
/// and how far an order is shuffled.
constexpr double kWantedShare = 0.1, kLevelShare = 0.02, kShuffledShare = 0.01;
/// How the share of memory that a schedule may use changes when a plan does not fit, and when it does.
constexpr double kTighterRoom = 0.9, kLooserRoom = 1.03, kLeastShareOfRoom = 0.2;

double level_of(const GoChoice& choice, std::size_t operation) {
  if (choice.schedule.empty()) return 0;
  return static_cast<double>(choice.schedule[operation]) - static_cast<double>(kGoLevels / 2);
}

}  // namespace

GoDecoder::GoDecoder(const GraphView& graph, const Task& task, GoDecode decode)
    : graph_(graph),
      task_(task),
      tasks_(GoTasks::of(task)),
      decode_(decode),
      durations_(graph.problem()),
      decoder_(durations_),
      moves_(durations_),
      ahead_(seconds_to_the_end(durations_, TransfersOnPath::averaged)),
      behind_(seconds_from_the_start(durations_, TransfersOnPath::averaged)) {}

Decisions GoDecoder::stretches(const Plan& start) const {
  Plan plan = start;
  double work = 0, given = 0;
  for (std::size_t i = 0; i < graph_.operations(); ++i) work += graph_.least_seconds(i);
  plan.priority.resize(graph_.operations());
  for (const std::uint32_t operation : graph_.sequence()) {
    const double place = (given + graph_.least_seconds(operation) / 2) / std::max(work, 1e-300);
    const auto wanted =
        std::min(graph_.devices() - 1, static_cast<std::size_t>(place * static_cast<double>(graph_.devices())));
    const std::vector<DeviceId>& able = graph_.choices().devices(graph_.choices().choice_of(OperationId(operation)));
    plan.device_of[operation] = go_may_run(graph_, operation, wanted) ? DeviceId(wanted) : able.front();
    plan.priority[operation] = static_cast<float>(ahead_[operation]);
    given += graph_.least_seconds(operation);
  }
  return task_.encode(plan);
}

Decisions GoDecoder::decode(const GoChoice& choice, const ListPoint* point, const Decisions& before,
                            const Plan& start) {
  Decisions row;
  if (!tasks_.place && !tasks_.schedule) row = before;
  else if (decode_ == GoDecode::list) row = task_.encode(decoder_.decode(guidance_of(choice, point, start), start));
  else row = task_.encode(direct_plan(choice, *point, start));
  set_fusions(choice, before, row);
  return row;
}

ListGuidance GoDecoder::guidance_of(const GoChoice& choice, const ListPoint* point, const Plan& start) const {
  const GoPass pass = GoPass::numbered(choice.pass);
  if (pass.kept && point != nullptr && tasks_.place) return moved(choice, *point);
  ListGuidance guidance{.direction = pass.direction,
                        .keys = keys_of(choice, point),
                        .haste = pass.haste,
                        .transfer_price = pass.transfer_price,
                        .bias = std::vector<float>(graph_.operations() * graph_.devices()),
                        .room = room_};
  if (!tasks_.place) {
    for (std::size_t i = 0; i < guidance.bias.size(); ++i)
      if (start.device_of[i / graph_.devices()].index() != i % graph_.devices()) guidance.bias[i] = kNowhereElse;
    return guidance;
  }
  if (point != nullptr) add_pulls(choice, *point, guidance.bias);
  add_wishes(choice, point != nullptr ? point->seconds : graph_.critical_path(), guidance.bias);
  return guidance;
}

ListGuidance GoDecoder::moved(const GoChoice& choice, const ListPoint& point) const {
  const GoPass pass = GoPass::numbered(choice.pass);
  Rng rng(choice.shuffle);
  ListGuidance guidance = moves_.draw({*pass.kept, pass.direction}, point, rng);
  guidance.room = room_;
  guidance.bias.resize(graph_.operations() * graph_.devices());
  add_wishes(choice, point.seconds, guidance.bias);
  return guidance;
}

/// A level sooner is a higher key from the start and a lower one from the end.
std::vector<double> GoDecoder::keys_of(const GoChoice& choice, const ListPoint* point) const {
  const GoPass pass = GoPass::numbered(choice.pass);
  const bool is_forward = pass.direction == Direction::forward;
  const double seconds = point != nullptr ? point->seconds : graph_.critical_path();
  // The first plan needs no noise to differ from one before.
  const double reach = point == nullptr ? 0 : kShuffledShare * seconds * std::exp(static_cast<double>(choice.pulls[2]));
  Rng rng(choice.shuffle);
  std::vector<double> keys = is_forward ? ahead_ : behind_;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (point != nullptr && pass.keys == GoPass::Keys::order_of_plan)
      keys[i] = is_forward ? -point->starts[i] : point->finishes[i];
    keys[i] += (is_forward ? 1 : -1) * level_of(choice, i) * kLevelShare * seconds + rng.uniform(-reach, reach);
  }
  return keys;
}

void GoDecoder::add_pulls(const GoChoice& choice, const ListPoint& point, std::vector<float>& bias) const {
  const Direction direction = GoPass::numbered(choice.pass).direction;
  bias = pull_to_neighbours(durations_, point.device_of, direction, std::exp(static_cast<double>(choice.pulls[0])));
  const double mean = point.seconds / static_cast<double>(graph_.operations());
  const auto stay = static_cast<float>(mean * std::exp(static_cast<double>(choice.pulls[1])));
  for (std::size_t i = 0; i < bias.size(); ++i)
    if (point.device_of[i / graph_.devices()].index() != i % graph_.devices()) bias[i] += stay;
}

void GoDecoder::add_wishes(const GoChoice& choice, double seconds, std::vector<float>& bias) const {
  for (std::size_t i = 0; i < choice.place.size(); ++i)
    for (std::size_t device = 0; choice.place[i] > 0 && device < graph_.devices(); ++device)
      if (choice.place[i] != device + 1)
        bias[i * graph_.devices() + device] += static_cast<float>(kWantedShare * seconds);
}

Plan GoDecoder::direct_plan(const GoChoice& choice, const ListPoint& point, const Plan& start) const {
  Plan plan = start;
  plan.group_of.clear();
  plan.copies.clear();
  plan.device_of = point.device_of;
  plan.priority.resize(graph_.operations());
  for (std::size_t i = 0; i < graph_.operations(); ++i) {
    if (!choice.place.empty() && choice.place[i] > 0) plan.device_of[i] = DeviceId(choice.place[i] - 1);
    plan.priority[i] = static_cast<float>(ahead_[i] + level_of(choice, i) * kLevelShare * point.seconds);
  }
  return plan;
}

void GoDecoder::set_fusions(const GoChoice& choice, const Decisions& before, Decisions& row) const {
  if (!tasks_.fuse) return;
  for (std::size_t site = 0; site < row.size(); ++site)
    if (task_.sites()[site].field == PlanField::group) row[site] = before[site];
  for (std::size_t i = 0; i < choice.fuse.size(); ++i)
    for (const std::uint32_t site : task_.sites_about(OperationId(i)))
      if (task_.sites()[site].field == PlanField::group && choice.fuse[i] + std::size_t{1} < kGoFusions)
        row[site] = key_of(choice.fuse[i], kGoFusions - 1);
}

void GoDecoder::learn_fit(const Cost& cost) {
  room_ =
      cost.overflow_bytes > 0 ? std::max(kLeastShareOfRoom, kTighterRoom * room_) : std::min(1.0, kLooserRoom * room_);
}

}  // namespace hone

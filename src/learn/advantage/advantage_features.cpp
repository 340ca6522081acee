#include "learn/advantage/advantage_features.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.h"

namespace hone {
namespace {

constexpr std::uint32_t kNowhere = UINT32_MAX;
constexpr std::size_t kUnitSample = 512;  // units whose estimates the scale follows from

float log_count(double count) { return static_cast<float>(std::log1p(count)); }

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

}  // namespace

float signed_log(double value) {
  constexpr double kMost = 30;  // of what has no end, such as the cost of a plan that cannot be carried out
  if (std::isnan(value)) return 0;
  return static_cast<float>(std::copysign(std::min(kMost, std::log1p(std::abs(value))), value));
}

AdvantageFeatures::AdvantageFeatures(const Problem& problem, const Task& task, const DecisionUnits& units,
                                     const Plan& start)
    : problem_(problem),
      task_(task),
      units_(units),
      choices_(problem, start),
      kernels_(problem),
      plan_(start),
      place_(problem.workload.operation_count(), kNowhere) {}

void AdvantageFeatures::set(std::span<const float> row) {
  row_.assign(row.begin(), row.end());
  task_.apply(row, plan_);
  kernels_.set(plan_);
  find_loads();
  if (unit_ == 0) find_unit();
}

void AdvantageFeatures::find_loads() {
  loads_.assign(problem_.machine.device_count(), 0);
  for (std::size_t i = 0; i < problem_.workload.operation_count(); ++i) {
    const OperationId operation(i);
    const KernelsAround::Kernel& kernel = kernels_.kernel(operation);
    loads_[plan_.device(operation).index()] += kernel.seconds / kernel.shape.operations;
  }
}

void AdvantageFeatures::find_unit() {
  std::vector<double> seconds;
  const std::size_t step = std::max<std::size_t>(1, units_.size() / kUnitSample);
  for (std::uint32_t unit = 0; unit < units_.size(); unit += static_cast<std::uint32_t>(step))
    for (std::uint32_t option = 0; option < units_.at(unit).options; ++option)
      if (const double value = std::abs(estimate({unit, option})); value > 0) seconds.push_back(value);
  unit_ = median_of(std::move(seconds));
  if (unit_ > 0) return;
  for (std::size_t i = 0; i < problem_.workload.operation_count(); ++i)
    seconds.push_back(kernels_.seconds_alone(OperationId(i)));
  unit_ = std::max(1e-12, median_of(std::move(seconds)));
}

double AdvantageFeatures::estimate(const DecisionChange& candidate) {
  const Seen what = seen(candidate);
  return what.is_possible && what.is_change && std::isfinite(what.seconds) ? what.seconds : 0;
}

AdvantageFeatures::Seen AdvantageFeatures::seen(const DecisionChange& candidate) {
  const DecisionUnits::Unit& unit = units_.at(candidate.unit);
  if (!unit.operation.valid() || units_.has_option(row_, candidate.unit, candidate.option)) return {};
  if (unit.field == PlanField::group) return seen_of_group(candidate);
  if (unit.field == PlanField::device) return seen_of_device(candidate);
  return {};
}

/// Whether no read of the operation would say that it stays apart: only then do its readers compute it.
bool AdvantageFeatures::all_reads_would_fuse(const DecisionChange& candidate) const {
  const OperationId operation = units_.at(candidate.unit).operation;
  for (const std::uint32_t other : units_.about(operation)) {
    const bool changes = other == candidate.unit || !units_.at(candidate.unit).reader.valid();
    if (other >= units_.single_count() || units_.at(other).operation != operation || changes) continue;
    if (units_.option(row_, other) == 0) return false;
  }
  return true;
}

AdvantageFeatures::Seen AdvantageFeatures::seen_of_group(const DecisionChange& candidate) {
  const DecisionUnits::Unit& unit = units_.at(candidate.unit);
  const FusionMeaning meaning = fusion_meaning(candidate.option, unit.options);
  const auto as_seen = [](const KernelsAround::Change& change) {
    return Seen{change.seconds, change.is_possible, change.is_change};
  };
  if (meaning == FusionMeaning::apart) {
    const OperationId other = unit.reader;
    if (other.valid() && plan_.group(unit.operation) != plan_.group(other) && !kernels_.is_inlined(unit.operation))
      return {.is_possible = true};
    return as_seen(kernels_.if_apart(unit.operation));
  }
  if (meaning == FusionMeaning::inlined) {
    if (!all_reads_would_fuse(candidate)) return {.is_possible = true};
    return as_seen(kernels_.if_inlined(unit.operation));
  }
  if (unit.reader.valid()) return as_seen(kernels_.if_merged(unit.operation, unit.reader));
  return as_seen(kernels_.if_merged_with_all(unit.operation));
}

/// Seconds that what an operation reads and makes would travel if it ran there.
double AdvantageFeatures::transfer_seconds(std::size_t operation, DeviceId device) const {
  const Workload& workload = problem_.workload;
  const auto travel = [&](const Buffer& buffer, DeviceId from, DeviceId to) {
    return from == to ? 0 : problem_.machine.link(problem_.machine.route(from, to)).seconds(buffer.bytes);
  };
  double sum = 0;
  for (const BufferId input : workload.inputs(OperationId(operation)))
    if (const Buffer& buffer = workload.buffer(input); buffer.producer.valid())
      sum += travel(buffer, plan_.device(buffer.producer), device);
  for (const BufferId output : workload.outputs(OperationId(operation)))
    for (const OperationId reader : workload.readers(output))
      sum += travel(workload.buffer(output), device, plan_.device(reader));
  return sum;
}

/// What changes of transfers, and of the load of the device that has most to do.
AdvantageFeatures::Seen AdvantageFeatures::seen_of_device(const DecisionChange& candidate) const {
  const OperationId operation = units_.at(candidate.unit).operation;
  const DeviceId from = plan_.device(operation);
  const DeviceId to = choices_.devices(choices_.choice_of(operation))[candidate.option];
  if (from == to) return {};
  Seen what{.is_possible = true, .is_change = true};
  what.seconds = transfer_seconds(operation.index(), to) - transfer_seconds(operation.index(), from);
  std::vector<double> after = loads_;
  const double seconds = kernels_.seconds_alone(operation);
  after[from.index()] -= seconds;
  after[to.index()] += seconds;
  what.seconds += std::ranges::max(after) - std::ranges::max(loads_);
  return what;
}

void AdvantageFeatures::add_operation(std::uint32_t operation, std::vector<float>& rows) const {
  const OperationId id(operation);
  const FusionGraph::Node& node = kernels_.graph().nodes[operation];
  const OperationTime& time = kernels_.time(id);
  const KernelsAround::Kernel& kernel = kernels_.kernel(id);
  double made = 0;
  bool is_result = false;
  for (const BufferId output : problem_.workload.outputs(id)) {
    made += problem_.workload.buffer(output).bytes;
    is_result |= problem_.workload.buffer(output).is_output;
  }
  const auto yes = [](bool condition) { return condition ? 1.0F : 0.0F; };
  const double mean_load = std::max(1e-30, std::ranges::max(loads_));
  const std::array<float, kOperationColumns> columns = {
      yes(node.kind == Loop::Kind::none),
      yes(node.kind == Loop::Kind::map),
      yes(node.kind == Loop::Kind::rows),
      yes(node.kind == Loop::Kind::columns),
      yes(node.kind == Loop::Kind::contraction),
      yes(node.inlined == Refusal::none),
      log_count(node.points) / 10,
      scaled(kernels_.seconds_alone(id)),
      scaled(time.compute_seconds),
      scaled(problem_.workload.operation(id).bytes * time.seconds_per_byte),
      scaled(time.launch_seconds),
      scaled(made * time.seconds_per_byte),
      log_count(static_cast<double>(kernels_.graph().readers[operation].size())),
      log_count(static_cast<double>(kernels_.graph().producers[operation].size())),
      yes(is_result),
      yes(kernels_.is_inlined(id)),
      log_count(static_cast<double>(kernels_.kernels_with(id)) - 1),
      log_count(kernel.shape.operations),
      scaled(kernel.seconds),
      scaled(kernel.compute_seconds),
      scaled(kernel.memory_seconds),
      log_count(kernel.shape.reads),
      log_count(kernel.stored),
      yes(kernel.shape.has_contraction),
      yes(kernel.shape.has_rows),
      yes(kernel.shape.has_columns),
      static_cast<float>(loads_[plan_.device(id).index()] / mean_load)};
  rows.insert(rows.end(), columns.begin(), columns.end());
}

/// How the reads that a unit is about find what they read, as shares.
void AdvantageFeatures::add_access(const DecisionUnits::Unit& unit, std::vector<float>& rows) const {
  std::array<float, 3> shares{};
  if (unit.operation.valid()) {
    float count = 0;
    for (const FusionGraph::Read& read : kernels_.graph().readers[unit.operation.index()]) {
      if (unit.reader.valid() && read.operation != unit.reader.index()) continue;
      ++shares[static_cast<std::size_t>(read.access)];
      ++count;
    }
    for (float& share : shares) share /= std::max(1.0F, count);
  }
  rows.insert(rows.end(), shares.begin(), shares.end());
}

void AdvantageFeatures::add_candidate(const DecisionChange& candidate, std::vector<float>& rows) {
  const std::size_t begin = rows.size();
  const DecisionUnits::Unit& unit = units_.at(candidate.unit);
  const Seen what = seen(candidate);
  const float sees = scaled(what.is_possible && what.is_change ? what.seconds : 0);
  const auto yes = [](bool condition) { return condition ? 1.0F : 0.0F; };
  rows.insert(rows.end(), {sees, std::abs(sees), yes(what.is_possible), yes(what.is_change), yes(sees < 0)});
  std::array<float, 6> meanings{};  // before, as shares of its sites, and after
  if (unit.field == PlanField::group) {
    for (const std::uint32_t site : units_.sites(candidate.unit))
      meanings[static_cast<std::size_t>(fusion_meaning(option_of(row_[site], unit.options), unit.options))] +=
          1 / static_cast<float>(units_.sites(candidate.unit).size());
    meanings[3 + static_cast<std::size_t>(fusion_meaning(candidate.option, unit.options))] = 1;
  }
  rows.insert(rows.end(), meanings.begin(), meanings.end());
  add_access(unit, rows);
  const float last = static_cast<float>(unit.options - 1);
  rows.insert(
      rows.end(),
      {yes(unit.field == PlanField::device), yes(unit.field == PlanField::priority),
       log_count(static_cast<double>(units_.sites(candidate.unit).size()) - 1),
       (static_cast<float>(candidate.option) - static_cast<float>(units_.option(row_, candidate.unit))) / last});
  const OperationId one = unit.operation, other = unit.reader.valid() ? unit.reader : unit.operation;
  if (one.valid()) {
    const FusionGraph::Node &here = kernels_.graph().nodes[one.index()], &there = kernels_.graph().nodes[other.index()];
    rows.insert(rows.end(),
                {yes(plan_.group(one) == plan_.group(other)), yes(here.points == there.points),
                 yes(here.rows == there.rows), yes(here.results == there.points), yes(kernels_.is_inlined(one)),
                 scaled(kernels_.kernel(one).seconds), scaled(kernels_.kernel(other).seconds),
                 yes(plan_.device(one) == plan_.device(other)), yes(all_reads_would_fuse(candidate)), 1.0F});
  }
  rows.resize(begin + kCandidateColumns);
}

AdvantageView AdvantageFeatures::view(std::span<const std::uint32_t> units, std::size_t hops) {
  AdvantageView view;
  const auto take = [&](std::uint32_t operation) {
    if (place_[operation] != kNowhere) return;
    place_[operation] = static_cast<std::uint32_t>(view.operations.size());
    view.operations.push_back(operation);
  };
  for (const std::uint32_t unit : units)
    for (const OperationId operation : {units_.at(unit).operation, units_.at(unit).reader})
      if (operation.valid()) take(operation.index());
  for (std::size_t begin = 0; hops > 0; --hops) {
    const std::size_t end = view.operations.size();
    for (; begin < end; ++begin) {
      const std::uint32_t operation = view.operations[begin];
      for (const FusionGraph::Read& read : kernels_.graph().producers[operation]) take(read.operation);
      for (const FusionGraph::Read& read : kernels_.graph().readers[operation]) take(read.operation);
    }
  }
  for (const std::uint32_t operation : view.operations) add_operation(operation, view.operation_rows);
  add_edges(view, place_);
  for (const std::uint32_t unit : units) {
    const OperationId one = units_.at(unit).operation, other = units_.at(unit).reader;
    if (!one.valid()) continue;
    for (std::uint32_t option = 0; option < units_.at(unit).options; ++option) {
      if (units_.has_option(row_, unit, option)) continue;
      view.candidates.push_back({unit, option});
      view.own.push_back(place_[one.index()]);
      view.reader.push_back(place_[(other.valid() ? other : one).index()]);
      add_candidate(view.candidates.back(), view.candidate_rows);
    }
  }
  for (const std::uint32_t operation : view.operations) place_[operation] = kNowhere;
  return view;
}

void AdvantageFeatures::add_edges(AdvantageView& view, std::span<const std::uint32_t> place) const {
  for (const std::uint32_t operation : view.operations) {
    for (const FusionGraph::Read& read : kernels_.graph().producers[operation])
      if (place[read.operation] != kNowhere) view.before.add(place[read.operation]);
    view.before.end_list();
    for (const FusionGraph::Read& read : kernels_.graph().readers[operation])
      if (place[read.operation] != kNowhere) view.after.add(place[read.operation]);
    view.after.end_list();
  }
}

}  // namespace hone

#include "plan/problem/group_time.h"

#include <algorithm>

#include "plan/machine/kernel_times.h"
#include "plan/problem/kernel_key.h"

namespace hone {
namespace {

/// How much an operation has to say about the speed of its kernel; 0: nothing.
std::uint8_t rank_in_kernel(const Operation& operation) {
  if (!operation.seconds.empty()) return 0;
  switch (operation.operation_class) {
    case OperationClass::view: return 0;
    case OperationClass::pointwise: return 1;
    case OperationClass::movement: return 2;
    case OperationClass::reduction: return 3;
    case OperationClass::collective: return 4;
    case OperationClass::opaque: return 5;
    case OperationClass::matmul: return 6;
    case OperationClass::convolution: return 7;
  }
  return 0;
}

}  // namespace

GroupTimer::GroupTimer(const Workload& workload, const Machine& machine)
    : workload_(workload),
      machine_(machine),
      times_(workload, machine),
      producer_of_(workload.buffer_count(), kNone),
      instances_(workload.operation_count()),
      places_(workload.buffer_count()) {
  const auto add_bounds = [&](Work work) {
    work.read_begin = static_cast<std::uint32_t>(reads_.size());
    work.output_begin = static_cast<std::uint32_t>(outputs_.size());
    works_.push_back(work);
  };
  for (std::size_t i = 0; i < workload.operation_count(); ++i) {
    const Operation& operation = workload.operation(OperationId(i));
    add_bounds({.bytes = operation.bytes,
                .points = operation.loop.points,
                .results = operation.loop.results,
                .loop = operation.loop.kind,
                .operation_class = operation.operation_class,
                .element = operation.element,
                .rank = rank_in_kernel(operation)});
    const std::span<const BufferId> inputs = workload.inputs(OperationId(i));
    for (std::size_t n = 0; n < inputs.size(); ++n) {
      const Buffer& buffer = workload.buffer(inputs[n]);
      reads_.push_back({.bytes = buffer.bytes,
                        .buffer = inputs[n].index(),
                        .producer = buffer.producer.valid() ? buffer.producer.index() : kNone,
                        .access = operation.loop.reads[n]});
    }
    for (const BufferId output : workload.outputs(OperationId(i))) {
      const Buffer& buffer = workload.buffer(output);
      const bool reads_target = std::ranges::find(inputs, buffer.alias_of) != inputs.end();
      outputs_.push_back(
          {.bytes = buffer.bytes, .buffer = output.index(), .target = reads_target ? buffer.alias_of.index() : kNone});
      producer_of_[output.index()] = static_cast<std::uint32_t>(i);
    }
  }
  add_bounds({});
}

double GroupTimer::seconds(const KernelView& kernel, std::size_t kind) {
  if (kernel.instances.size() == 1) {
    const OperationId only = kernel.instances.front();
    return times_.at(only, kind).alone(works_[only.index()].bytes);
  }
  if (const KernelTimes* measured = machine_.kinds[kind].kernel_times.get())
    if (const auto known = measured->seconds(kernel_key(workload_, kernel))) return *known;
  walk_forward(kernel);
  walk_back(kernel.instances);
  double stated_seconds = 0, compute_seconds = 0, launch_seconds = 0;
  for (const OperationId instance : kernel.instances) {
    const OperationTime& time = times_.at(instance, kind);
    const Work& work = works_[instance.index()];
    const bool is_whole = work.loop == Loop::Kind::none || work.results == 0;
    stated_seconds += time.stated_seconds;
    compute_seconds +=
        is_whole ? time.compute_seconds : time.compute_seconds * evaluations(instance.index()) / work.results;
    launch_seconds = std::max(launch_seconds, time.launch_seconds);
  }
  double memory_seconds = 0;
  if (traffic_.hero != nullptr) {
    const Roofline limits =
        roofline(machine_, kind, {traffic_.hero->operation_class, traffic_.hero->element, 0, traffic_.bytes});
    const double pressure = static_cast<double>(traffic_.live) / machine_.kinds[kind].live_values;
    memory_seconds = traffic_.bytes * limits.seconds_per_byte * std::max(1.0, pressure) *
                     times_.at(traffic_.hero_id, kind).measured_over_estimated;
  }
  return stated_seconds + std::max(compute_seconds, memory_seconds) + launch_seconds;
}

/// Adds up what crosses memory; notes which instances there are and which of them are evaluated in full.
void GroupTimer::walk_forward(const KernelView& kernel) {
  ++kernel_;
  for (const BufferId stored : kernel.stored) places_[stored.index()].stored = kernel_;
  traffic_ = {.live = kernel.stored.size() + kernel.instances.size() / 8};
  for (const OperationId id : kernel.instances) {
    const Work& work = works_[id.index()];
    bool is_stored = false;
    for (std::uint32_t i = work.output_begin; i < (&work + 1)->output_begin; ++i)
      is_stored |= places_[outputs_[i].buffer].stored == kernel_;
    instances_[id.index()] = {.kernel = kernel_, .whole = is_stored ? work.results : 0};
    if (work.rank != 0) {
      traffic_.bytes += std::max(0.0, work.bytes - saved_by(work));
      if (traffic_.hero == nullptr || traffic_.hero->rank < work.rank) {
        traffic_.hero = &work;
        traffic_.hero_id = id;
      }
    } else if (work.operation_class == OperationClass::view) {
      note_sources(work);
    }
  }
}

/// What the results of a view are read from.
void GroupTimer::note_sources(const Work& work) {
  for (std::uint32_t i = work.output_begin; i < (&work + 1)->output_begin; ++i) {
    const Output& output = outputs_[i];
    places_[output.buffer].source = output.target == kNone ? output.buffer : source_of(output.target);
  }
}

std::uint32_t GroupTimer::source_of(std::uint32_t buffer) const {
  const std::uint32_t producer = producer_of_[buffer];
  return makes(producer) && works_[producer].operation_class == OperationClass::view ? places_[buffer].source : buffer;
}

double GroupTimer::saved_by(const Work& work) {
  double saved = 0;
  for (std::uint32_t i = work.read_begin; i < (&work + 1)->read_begin; ++i) {
    const Read& read = reads_[i];
    std::uint32_t source = read.buffer;
    if (makes(read.producer)) {
      source = source_of(source);
      if (source == read.buffer || makes(producer_of_[source])) {
        saved += read.bytes;
        continue;
      }
    }
    if (places_[source].read == kernel_) saved += read.bytes;
    else ++traffic_.live;
    places_[source].read = kernel_;
  }
  for (std::uint32_t i = work.output_begin; i < (&work + 1)->output_begin; ++i)
    if (places_[outputs_[i].buffer].stored != kernel_) saved += outputs_[i].bytes;
  return saved;
}

/// Counts evaluations: when an instance is reached, all that read it have been.
void GroupTimer::walk_back(std::span<const OperationId> instances) {
  for (std::size_t n = instances.size(); n-- > 0;) {
    const Work& reader = works_[instances[n].index()];
    const double points = reader.points;
    const bool reads_all = reader.loop == Loop::Kind::none || points == 0;
    const double evaluated = reader.results == 0 ? points : evaluations(instances[n].index()) * points / reader.results;
    for (std::uint32_t i = reader.read_begin; i < (&reader + 1)->read_begin; ++i) {
      const Read& read = reads_[i];
      if (!makes(read.producer)) continue;
      Instance& made = instances_[read.producer];
      const double results = works_[read.producer].results;
      if (reads_all || (read.access == Access::other && reader.loop == Loop::Kind::contraction))
        made.whole = std::max(made.whole, results);
      else if (read.access == Access::same) made.whole = std::max(made.whole, std::min(evaluated, results));
      else if (read.access == Access::row) made.whole = std::max(made.whole, evaluated * results / points);
      else made.extra += evaluated;
    }
  }
}

}  // namespace hone

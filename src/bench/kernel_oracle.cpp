#include "bench/kernel_oracle.h"

#include <algorithm>
#include <map>
#include <optional>

namespace hone {
namespace {

class KernelOracle {
 public:
  explicit KernelOracle(const SlowKernel& kernel)
      : workload_(kernel.workload),
        machine_(kernel.machine),
        kind_(kernel.kind),
        instances_(kernel.instances),
        present_(instances_.begin(), instances_.end()),
        stored_(kernel.stored) {}

  double seconds(const OperationTimes& times) const;

 private:
  bool makes(BufferId buffer) const { return present_.contains(workload_.buffer(buffer).producer); }
  bool has_traffic(OperationId operation) const;
  double evaluations(OperationId operation) const;
  BufferId source_of(BufferId buffer) const;
  std::set<BufferId> sources_read(OperationId operation) const;
  double traffic_of(std::size_t instance) const;
  std::optional<OperationId> hero() const;
  double memory_seconds() const;

  const Workload& workload_;
  const Machine& machine_;
  std::size_t kind_;
  const std::vector<OperationId>& instances_;
  std::set<OperationId> present_;
  const std::set<BufferId>& stored_;
  mutable std::map<OperationId, double> known_;  // evaluations
};

bool KernelOracle::has_traffic(OperationId operation) const {
  const Operation& details = workload_.operation(operation);
  return details.seconds.empty() && details.operation_class != OperationClass::view;
}

double KernelOracle::evaluations(OperationId operation) const {
  if (known_.contains(operation)) return known_.at(operation);
  const Loop& loop = workload_.operation(operation).loop;
  double whole = 0, extra = 0;
  for (const BufferId output : workload_.outputs(operation))
    if (stored_.contains(output)) whole = loop.results;
  for (auto reader = instances_.rbegin(); reader != instances_.rend(); ++reader) {
    const Loop& other = workload_.operation(*reader).loop;
    const auto inputs = workload_.inputs(*reader);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (workload_.buffer(inputs[i]).producer != operation) continue;
      if (other.kind == Loop::Kind::none || other.points == 0) {
        whole = std::max(whole, loop.results);
        continue;
      }
      const double e = other.results == 0 ? other.points : evaluations(*reader) * other.points / other.results;
      switch (other.reads[i]) {
        case Access::same: whole = std::max(whole, std::min(e, loop.results)); break;
        case Access::row: whole = std::max(whole, e * loop.results / other.points); break;
        case Access::other:
          if (other.kind == Loop::Kind::contraction) whole = std::max(whole, loop.results);
          else extra = extra + e;
      }
    }
  }
  return known_[operation] = whole + extra;
}

BufferId KernelOracle::source_of(BufferId buffer) const {
  if (!makes(buffer)) return buffer;
  const OperationId producer = workload_.buffer(buffer).producer;
  if (workload_.operation(producer).operation_class != OperationClass::view) return buffer;
  const BufferId target = workload_.buffer(buffer).alias_of;
  const auto inputs = workload_.inputs(producer);
  return std::ranges::find(inputs, target) == inputs.end() ? buffer : source_of(target);
}

std::set<BufferId> KernelOracle::sources_read(OperationId operation) const {
  std::set<BufferId> sources;
  for (const BufferId input : workload_.inputs(operation)) sources.insert(source_of(input));
  return sources;
}

double KernelOracle::traffic_of(std::size_t instance) const {
  std::set<BufferId> seen;
  for (std::size_t i = 0; i < instance; ++i)
    if (has_traffic(instances_[i])) seen.merge(sources_read(instances_[i]));
  double saved = 0;
  for (const BufferId input : workload_.inputs(instances_[instance])) {
    const BufferId source = source_of(input);
    if (makes(source) || seen.contains(source)) saved += workload_.buffer(input).bytes;
    seen.insert(source);
  }
  for (const BufferId output : workload_.outputs(instances_[instance]))
    if (!stored_.contains(output)) saved += workload_.buffer(output).bytes;
  return std::max(0.0, workload_.operation(instances_[instance]).bytes - saved);
}

std::optional<OperationId> KernelOracle::hero() const {
  for (const OperationClass wanted :
       {OperationClass::convolution, OperationClass::matmul, OperationClass::opaque, OperationClass::collective,
        OperationClass::reduction, OperationClass::movement, OperationClass::pointwise})
    for (const OperationId instance : instances_)
      if (has_traffic(instance) && workload_.operation(instance).operation_class == wanted) return instance;
  return std::nullopt;
}

double KernelOracle::memory_seconds() const {
  if (!hero()) return 0;
  double traffic = 0;
  std::set<BufferId> read;
  for (std::size_t i = 0; i < instances_.size(); ++i) {
    if (!has_traffic(instances_[i])) continue;
    traffic += traffic_of(i);
    for (const BufferId source : sources_read(instances_[i]))
      if (!makes(source)) read.insert(source);
  }
  const Operation& details = workload_.operation(*hero());
  const double rate =
      roofline(machine_, kind_,
               {.operation_class = details.operation_class, .element = details.element, .bytes = traffic})
          .seconds_per_byte;
  const auto live = static_cast<double>(read.size() + stored_.size() + instances_.size() / 8);
  return traffic * rate * std::max(1.0, live / machine_.kinds[kind_].live_values);
}

double KernelOracle::seconds(const OperationTimes& times) const {
  if (instances_.size() == 1) return times.at(instances_[0], kind_).alone(workload_.operation(instances_[0]).bytes);
  double stated = 0, compute = 0, launch = 0;
  for (const OperationId instance : instances_) {
    const OperationTime& time = times.at(instance, kind_);
    const Loop& loop = workload_.operation(instance).loop;
    stated += time.stated_seconds;
    if (loop.kind == Loop::Kind::none || loop.results == 0) compute += time.compute_seconds;
    else compute += time.compute_seconds * evaluations(instance) / loop.results;
    launch = std::max(launch, time.launch_seconds);
  }
  return stated + std::max(compute, memory_seconds()) + launch;
}

}  // namespace

double time_kernel_slowly(const SlowKernel& kernel, const OperationTimes& times) {
  return KernelOracle(kernel).seconds(times);
}

}  // namespace hone

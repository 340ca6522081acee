#include "plan/methods/kernel_regions.h"

#include <cmath>

namespace hone {
namespace {

constexpr double kLeastKernelRegion = 2, kLargestKernelRegion = 200;  // operations

}  // namespace

bool KernelRegions::cross(std::span<float> row, std::span<const float> other, OperationId middle, Rng& rng) {
  const Workload& workload = search_.problem().workload;
  const auto size =
      static_cast<std::size_t>(kLeastKernelRegion * std::pow(kLargestKernelRegion / kLeastKernelRegion, rng.uniform()));
  seen_.resize(workload.operation_count());
  ++regions_;
  region_.clear();
  const auto add = [&](OperationId operation) {
    if (!operation.valid() || region_.size() == size || seen_[operation.index()] == regions_) return;
    seen_[operation.index()] = regions_;
    region_.push_back(operation);
  };
  add(middle);
  for (std::size_t i = 0; i < region_.size() && region_.size() < size; ++i) {
    const OperationId operation = region_[i];
    for (const BufferId input : workload.inputs(operation)) add(workload.buffer(input).producer);
    for (const BufferId output : workload.outputs(operation))
      for (const OperationId reader : workload.readers(output)) add(reader);
  }
  bool has_changed = false;
  for (const OperationId operation : region_)
    for (const std::uint32_t site : search_.task().sites_about(operation)) {
      if (search_.task().sites()[site].field != PlanField::group || row[site] == other[site]) continue;
      row[site] = other[site];
      has_changed = true;
    }
  return has_changed;
}

}  // namespace hone

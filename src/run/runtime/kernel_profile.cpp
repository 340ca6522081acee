#include "run/runtime/kernel_profile.h"

#include <algorithm>
#include <functional>
#include <map>

namespace hone {
namespace {

template <class Key>
std::vector<KernelTotal> totals(const KernelProfile& profile, Key key) {
  std::map<std::string, KernelTotal> by_key;
  for (const KernelEvent& event : profile.kernels) {
    KernelTotal& total = by_key[key(event)];
    total.name = key(event);
    total.op = event.op;
    ++total.count;
    total.seconds += event.seconds;
  }
  std::vector<KernelTotal> sorted;
  for (auto& [name, total] : by_key) sorted.push_back(std::move(total));
  std::ranges::stable_sort(sorted, std::greater{}, &KernelTotal::seconds);
  return sorted;
}

}  // namespace

KernelProfile last_runs(KernelProfile profile, std::size_t runs) {
  if (profile.run_starts.size() <= runs) return profile;
  const auto dropped = static_cast<std::ptrdiff_t>(profile.run_starts.size() - runs);
  profile.run_starts.erase(profile.run_starts.begin(), profile.run_starts.begin() + dropped);
  profile.run_seconds.erase(profile.run_seconds.begin(), profile.run_seconds.begin() + dropped);
  const double start = profile.run_starts.front();
  std::erase_if(profile.kernels, [start](const KernelEvent& event) { return event.start_seconds < start; });
  return profile;
}

std::vector<KernelTotal> totals_by_node(const KernelProfile& profile) {
  return totals(profile, [](const KernelEvent& event) { return event.node; });
}
std::vector<KernelTotal> totals_by_operator(const KernelProfile& profile) {
  return totals(profile, [](const KernelEvent& event) { return event.op; });
}

}  // namespace hone

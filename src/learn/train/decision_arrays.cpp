#include "learn/train/decision_arrays.h"

#include <algorithm>

#include "base/error.h"

namespace hone::learn {
namespace {

constexpr std::size_t kColumns = 4 + kWaitSights;  // of a decision: first, count, chosen, could_wait and what was seen

}  // namespace

void save_trace(const Trace& trace, const std::string& name, Safetensors& contents) {
  NamedArray decisions{.shape = {trace.decisions.size(), kColumns}}, works{.shape = {trace.works.size()}},
      sights{.shape = {trace.sights.size(), kSights}};
  for (const TraceStep& step : trace.decisions) {
    for (const std::uint32_t value : {step.first, step.count, step.chosen, step.could_wait ? 1U : 0U})
      decisions.values.push_back(static_cast<float>(value));
    decisions.values.insert(decisions.values.end(), step.wait.begin(), step.wait.end());
  }
  for (const std::uint32_t work : trace.works) works.values.push_back(static_cast<float>(work));
  for (const Sights& seen : trace.sights) sights.values.insert(sights.values.end(), seen.begin(), seen.end());
  contents.arrays[name + "decisions"] = std::move(decisions);
  contents.arrays[name + "works"] = std::move(works);
  contents.arrays[name + "sights"] = std::move(sights);
}

Trace load_trace(const std::string& name, std::size_t works_of_graph, const Safetensors& contents) {
  Trace trace;
  const auto decisions = contents.arrays.find(name + "decisions"), works = contents.arrays.find(name + "works"),
             sights = contents.arrays.find(name + "sights");
  if (decisions == contents.arrays.end()) return trace;
  if (works == contents.arrays.end() || sights == contents.arrays.end() ||
      sights->second.values.size() != works->second.values.size() * kSights)
    fail("the checkpoint's decisions of '{}' are not complete", name);
  for (const float work : works->second.values) {
    if (!(work >= 0 && work < static_cast<float>(works_of_graph)))
      fail("the checkpoint's decisions of '{}' are about a work that there is not", name);
    trace.works.push_back(static_cast<std::uint32_t>(work));
  }
  trace.sights.resize(trace.works.size());
  for (std::size_t i = 0; i < trace.sights.size(); ++i)
    std::copy_n(sights->second.values.begin() + static_cast<std::ptrdiff_t>(i * kSights), kSights,
                trace.sights[i].begin());
  const std::vector<float>& values = decisions->second.values;
  for (std::size_t at = 0; at + kColumns <= values.size(); at += kColumns) {
    TraceStep step{.first = static_cast<std::uint32_t>(values[at]),
                   .count = static_cast<std::uint32_t>(values[at + 1]),
                   .chosen = static_cast<std::uint32_t>(values[at + 2]),
                   .could_wait = values[at + 3] != 0};
    std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(at + 4), kWaitSights, step.wait.begin());
    if (std::size_t{step.first} + step.count > trace.works.size() ||
        step.chosen >= std::size_t{step.count} + (step.could_wait ? 1 : 0))
      fail("the checkpoint's decisions of '{}' are not complete", name);
    trace.decisions.push_back(step);
  }
  return trace;
}

}  // namespace hone::learn

#include "learn/train/decision_arrays.h"

#include <algorithm>

#include "base/error.h"

namespace hone::learn {
namespace {

constexpr std::size_t kColumns =
    4 + kWaitFeatures;  // of a decision: first, count, chosen, could_wait and what was seen

}  // namespace

void save_trace(const Trace& trace, const std::string& name, Safetensors& contents) {
  NamedArray decisions{.shape = {trace.decisions.size(), kColumns}}, operations{.shape = {trace.operations.size()}},
      features{.shape = {trace.features.size(), kOptionFeatures}};
  for (const TraceStep& step : trace.decisions) {
    for (const std::uint32_t value : {step.first, step.count, step.chosen, step.could_wait ? 1U : 0U})
      decisions.values.push_back(static_cast<float>(value));
    decisions.values.insert(decisions.values.end(), step.wait.begin(), step.wait.end());
  }
  for (const std::uint32_t operation : trace.operations) operations.values.push_back(static_cast<float>(operation));
  for (const OptionFeatures& seen : trace.features)
    features.values.insert(features.values.end(), seen.begin(), seen.end());
  contents.arrays[name + "decisions"] = std::move(decisions);
  contents.arrays[name + "operations"] = std::move(operations);
  contents.arrays[name + "features"] = std::move(features);
}

Trace load_trace(const std::string& name, std::size_t operations_of_graph, const Safetensors& contents) {
  Trace trace;
  const auto decisions = contents.arrays.find(name + "decisions"),
             operations = contents.arrays.find(name + "operations"), features = contents.arrays.find(name + "features");
  if (decisions == contents.arrays.end()) return trace;
  if (operations == contents.arrays.end() || features == contents.arrays.end() ||
      features->second.values.size() != operations->second.values.size() * kOptionFeatures)
    fail("the checkpoint's decisions of '{}' are not complete", name);
  for (const float operation : operations->second.values) {
    if (!(operation >= 0 && operation < static_cast<float>(operations_of_graph)))
      fail("the checkpoint's decisions of '{}' are about an operation that there is not", name);
    trace.operations.push_back(static_cast<std::uint32_t>(operation));
  }
  trace.features.resize(trace.operations.size());
  for (std::size_t i = 0; i < trace.features.size(); ++i)
    std::copy_n(features->second.values.begin() + static_cast<std::ptrdiff_t>(i * kOptionFeatures), kOptionFeatures,
                trace.features[i].begin());
  const std::vector<float>& values = decisions->second.values;
  for (std::size_t at = 0; at + kColumns <= values.size(); at += kColumns) {
    TraceStep step{.first = static_cast<std::uint32_t>(values[at]),
                   .count = static_cast<std::uint32_t>(values[at + 1]),
                   .chosen = static_cast<std::uint32_t>(values[at + 2]),
                   .could_wait = values[at + 3] != 0};
    std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(at + 4), kWaitFeatures, step.wait.begin());
    if (std::size_t{step.first} + step.count > trace.operations.size() ||
        step.chosen >= std::size_t{step.count} + (step.could_wait ? 1 : 0))
      fail("the checkpoint's decisions of '{}' are not complete", name);
    trace.decisions.push_back(step);
  }
  return trace;
}

}  // namespace hone::learn

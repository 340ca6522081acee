#include "learn/train/advantage_examples.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/thread_pool.h"
#include "plan/problem/plan_file.h"

namespace hone::learn {
namespace {

constexpr std::size_t kApart = 8;          // one configuration of so many
constexpr double kLargest = 0.1;           // share of samples that matter
constexpr double kDrawnFromLargest = 0.5;  // share of those that are drawn

/// The magnitude that the largest tenth of all samples has.
double large_magnitude(const AdvantageData& data) {
  std::vector<double> magnitudes;
  for (const GibbsChain& chain : data.chains)
    for (const AdvantageSample& sample : chain.samples) magnitudes.push_back(std::abs(sample.advantage));
  if (magnitudes.empty()) return 0;
  const auto place =
      magnitudes.end() - 1 - static_cast<std::ptrdiff_t>(kLargest * static_cast<double>(magnitudes.size() - 1));
  std::ranges::nth_element(magnitudes, place);
  return *place;
}

/// Units of an example, each once, and labels by unit and option.
struct Tried {
  std::vector<std::uint32_t> units;
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> labels;
};

/// Takes candidates that nobody tried out of a view.
void keep_labelled(AdvantageExample& example, const Tried& tried, double median, double large) {
  AdvantageView& view = example.view;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < view.candidates.size(); ++i) {
    const auto label = tried.labels.find({view.candidates[i].unit, view.candidates[i].option});
    if (label == tried.labels.end()) continue;
    const auto row = view.candidate_rows.begin() + static_cast<std::ptrdiff_t>(i * kCandidateColumns);
    std::copy(row, row + kCandidateColumns,
              view.candidate_rows.begin() + static_cast<std::ptrdiff_t>(kept * kCandidateColumns));
    view.candidates[kept] = view.candidates[i];
    view.own[kept] = view.own[i];
    view.reader[kept] = view.reader[i];
    example.labels.push_back(signed_log(label->second / median));
    if (std::abs(label->second) >= large && label->second != 0)
      example.largest.push_back(static_cast<std::uint32_t>(kept));
    ++kept;
  }
  view.candidates.resize(kept);
  view.own.resize(kept);
  view.reader.resize(kept);
  view.candidate_rows.resize(kept * kCandidateColumns);
}

}  // namespace

AdvantageExamples::AdvantageExamples(const TrainingRequest& request, std::vector<Workload> workloads)
    : request_(request), workloads_(std::move(workloads)) {
  std::uint64_t hash = workloads_.size();
  for (const Workload& workload : workloads_) hash = mix(hash, hone::fingerprint(workload));
  fingerprint_ = fmt::format("{:016x}", hash);
}

void AdvantageExamples::prepare() {
  const AdvantageRequest wanted{.tasks = request_.tasks,
                                .machine = request_.machine,
                                .objective = request_.objective,
                                .evaluations = request_.evaluations,
                                .seed = request_.seed,
                                .threads = request_.threads};
  const std::vector<AdvantageData> data = collect_advantages(wanted, workloads_, request_.out / "examples");
  workloads_.clear();
  if (interrupted()) return;
  std::vector<std::vector<std::unique_ptr<AdvantageExample>>> by_graph(data.size());
  ThreadPool pool(request_.threads);
  pool.for_each(data.size(), [&](std::size_t, std::size_t i) { by_graph[i] = examples_of(data[i]); });
  std::size_t count = 0;
  for (auto& examples : by_graph)
    for (auto& example : examples)
      if (!example->labels.empty()) (++count % kApart == 0 ? apart_ : examples_).push_back(std::move(example));
  if (examples_.empty()) fail_usage("there is nothing to decide in these graphs");
}

std::vector<std::unique_ptr<AdvantageExample>> AdvantageExamples::examples_of(const AdvantageData& data) const {
  const Plan undecided = undecided_plan(data.problem);
  const std::unique_ptr<Task> task = make_task(data.problem, request_.tasks, undecided);
  const DecisionUnits units(data.problem, *task);
  const double median = median_advantage(data.chains), large = large_magnitude(data);
  std::vector<std::unique_ptr<AdvantageExample>> examples;
  for (const GibbsChain& chain : data.chains) {
    std::vector<Tried> tried(chain.configurations.size());
    for (const AdvantageSample& sample : chain.samples) {
      Tried& here = tried[sample.configuration];
      if (sample.unit >= units.size()) continue;
      if (here.units.empty() || here.units.back() != sample.unit) here.units.push_back(sample.unit);
      here.labels[{sample.unit, sample.option}] = sample.advantage;
    }
    AdvantageFeatures features(data.problem, *task, units, undecided);
    for (std::size_t i = 0; i < tried.size(); ++i) {
      features.set(chain.configurations[i]);
      examples.push_back(std::make_unique<AdvantageExample>());
      examples.back()->view = features.view(tried[i].units, request_.rounds);
      keep_labelled(*examples.back(), tried[i], median, large);
    }
  }
  return examples;
}

std::vector<std::int64_t> AdvantageExamples::draw(const AdvantageExample& example, std::size_t count, Rng& rng) {
  std::vector<std::int64_t> drawn;
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_large = rng.uniform() < kDrawnFromLargest && !example.largest.empty();
    drawn.push_back(static_cast<std::int64_t>(is_large ? example.largest[rng.below(example.largest.size())]
                                                       : rng.below(example.labels.size())));
  }
  return drawn;
}

}  // namespace hone::learn

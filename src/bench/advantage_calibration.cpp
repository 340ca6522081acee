#include "bench/advantage_calibration.h"

#include "learn/advantage/advantage_model.h"
#include "learn/advantage/calibration.h"
#include "learn/advantage/gibbs.h"
#include "plan/solve/solve.h"

namespace hone {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kCalibrationEvaluations = 1000;  // from each start

}  // namespace

Json calibration_of_policy(const Problem& problem, std::string_view tasks, std::uint64_t seed) {
  const Plan undecided = undecided_plan(problem);
  const std::unique_ptr<Task> task = make_task(problem, tasks, undecided);
  const DecisionUnits units(problem, *task);
  const Policy policy = advantage_policy_named("advantage-fusion", problem.objective);
  const AdvantageModel model(policy);
  const std::unique_ptr<Evaluator> evaluator = evaluator_for(problem);
  std::vector<float> predicted, labels;
  for (const std::string_view rule : {"fuse-priority", "random"}) {
    const Plan start =
        solve(problem, tasks, rule, {.budget = {.evaluations = 2}, .seed = seed, .show_progress = false}).plan;
    const GibbsChain chain = sample_chain(problem, *task, units, *evaluator, start,
                                          {.evaluations = kCalibrationEvaluations, .temperature = 0.1, .seed = seed});
    AdvantageFeatures features(problem, *task, units, undecided);
    std::size_t set = chain.configurations.size();
    for (const AdvantageSample& sample : chain.samples) {
      if (sample.configuration != set) features.set(chain.configurations[set = sample.configuration]);
      const AdvantageModel::Judged judged = model.judge(features, std::span(&sample.unit, 1));
      for (std::size_t i = 0; i < judged.candidates.size(); ++i)
        if (judged.candidates[i].option == sample.option) {
          const auto basis = std::span(judged.bases).subspan(i * model.basis_size(), model.basis_size());
          predicted.push_back(static_cast<float>(model.predict(basis, AdvantageOutput::advantage)));
          labels.push_back(signed_log(sample.advantage / features.unit()));
        }
    }
  }
  const AdvantageCalibration found = calibration_of(predicted, labels);
  return {{"large", found.large}, {"sign", found.sign}, {"explained", found.explained}, {"samples", found.samples}};
}

Json mean_calibration(const std::deque<Json>& found) {
  Json mean;
  for (const char* figure : {"large", "sign", "explained"}) {
    double sum = 0;
    for (const Json& one : found) sum += one.at(figure).get<double>() / static_cast<double>(found.size());
    mean[figure] = sum;
  }
  return mean;
}

}  // namespace hone

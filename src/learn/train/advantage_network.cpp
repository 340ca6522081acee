#include "learn/train/advantage_network.h"

#include "learn/advantage/advantage_policy.h"
#include "learn/train/checkpoint.h"

namespace hone::learn {
namespace {

const PolicyKind::Part& part_of_operations() { return advantage_policy().parts().front(); }
const PolicyKind::Part& part_of_judge() { return advantage_policy().parts().back(); }

torch::Tensor index_tensor(const std::vector<std::int64_t>& rows) { return torch::tensor(rows, torch::kLong); }

}  // namespace

AdvantageNetwork::AdvantageNetwork(const Safetensors& policy, const std::string& source)
    : width_(shape_in(policy, "operations.", source).width),
      operations_spec_(part_of_operations().describe(shape_in(policy, "operations.", source))),
      judge_spec_(part_of_judge().describe(shape_in(policy, "operations.", source))),
      operations_(operations_spec_, policy, "policy"),
      judge_(judge_spec_, policy, "policy") {}

torch::Tensor AdvantageNetwork::predict(std::span<const AdvantageExample* const> examples) const {
  std::vector<GraphInput> inputs;
  for (const AdvantageExample* example : examples) inputs.push_back(example->view.input());
  const Batch batch = make_batch(inputs);
  const torch::Tensor rows = operations_.forward(batch);
  std::vector<std::int64_t> own, reader;
  std::vector<float> columns;
  for (std::size_t i = 0; i < examples.size(); ++i) {
    const AdvantageView& view = examples[i]->view;
    for (const std::uint32_t row : view.own) own.push_back(batch.first[i] + row);
    for (const std::uint32_t row : view.reader) reader.push_back(batch.first[i] + row);
    columns.insert(columns.end(), view.candidate_rows.begin(), view.candidate_rows.end());
  }
  const torch::Tensor candidates = to_tensor({.shape = {own.size(), kCandidateColumns}, .values = columns});
  Batch judged;
  judged.features =
      torch::cat({rows.index_select(0, index_tensor(own)), rows.index_select(0, index_tensor(reader)), candidates}, 1);
  const torch::Tensor ones = torch::ones({static_cast<std::int64_t>(own.size()), 1});
  const torch::Tensor basis = torch::cat({judge_.forward(judged), candidates, ones}, 1);
  return basis.matmul(judge_.free("final").t());
}

torch::Tensor AdvantageNetwork::loss(std::span<const AdvantageExample* const> examples,
                                     std::span<const std::vector<std::int64_t>> drawn) const {
  std::vector<std::int64_t> rows;
  std::vector<float> labels;
  std::int64_t first = 0;
  for (std::size_t i = 0; i < examples.size(); ++i) {
    for (const std::int64_t candidate : drawn[i]) {
      rows.push_back(first + candidate);
      labels.push_back(examples[i]->labels[static_cast<std::size_t>(candidate)]);
    }
    first += static_cast<std::int64_t>(examples[i]->labels.size());
  }
  const torch::Tensor given = predict(examples).index_select(0, index_tensor(rows));
  const torch::Tensor advantages = to_tensor({.shape = {labels.size(), 1}, .values = labels});
  return torch::smooth_l1_loss(given, torch::cat({advantages, advantages.abs()}, 1));
}

AdvantageCalibration AdvantageNetwork::calibration(std::span<const std::unique_ptr<AdvantageExample>> examples) const {
  const torch::NoGradGuard no_gradient;
  std::vector<float> predicted, labels;
  for (const auto& example : examples) {
    const AdvantageExample* one = example.get();
    const std::vector<float> rows = to_array(predict(std::span(&one, 1))).values;
    for (std::size_t i = 0; i < rows.size(); i += kAdvantageOutputs) predicted.push_back(rows[i]);
    labels.insert(labels.end(), example->labels.begin(), example->labels.end());
  }
  return calibration_of(predicted, labels);
}

std::map<std::string, torch::Tensor> AdvantageNetwork::parameters() {
  std::map<std::string, torch::Tensor> all = operations_.parameters();
  all.insert(judge_.parameters().begin(), judge_.parameters().end());
  return all;
}

Safetensors AdvantageNetwork::save() const {
  Safetensors contents = operations_.save();
  contents.arrays.merge(judge_.save().arrays);
  return contents;
}

void AdvantageNetwork::put(Safetensors& checkpoint) const {
  put_network(operations_, checkpoint);
  put_network(judge_, checkpoint);
}

void AdvantageNetwork::take(const Safetensors& checkpoint) {
  operations_ = network_in(checkpoint, operations_spec_);
  judge_ = network_in(checkpoint, judge_spec_);
}

}  // namespace hone::learn

#include "learn/train/rewrite_torch.h"

#include "learn/train/batch.h"

namespace hone::learn {
namespace {

torch::Tensor through(const TorchNetwork& network, const torch::Tensor& rows) {
  Batch batch;
  batch.features = rows;
  batch.edges = make_adjacency(static_cast<std::size_t>(rows.size(0)), {});
  batch.edge_rows = torch::empty({0, 0});
  batch.first = {0};
  return network.forward(batch);
}

}  // namespace

RewriteTorch::RewriteTorch(const Safetensors& contents, std::string_view source)
    : kind_(&as_rewrite_policy(policy_kind_in(contents, source))) {
  for (const PolicyKind::Part& part : kind_->parts()) {
    const NetworkSpec spec = part.describe(shape_in(contents, part.describe({}).prefix, source));
    TorchNetwork& made = networks_.emplace(part.name, TorchNetwork(spec, contents, source)).first->second;
    for (const auto& [name, tensor] : made.parameters()) parameters_[name] = tensor;
  }
}

Safetensors RewriteTorch::save() const {
  Safetensors contents;
  for (const auto& [name, tensor] : parameters_) contents.arrays[name] = to_array(tensor);
  return contents;
}

std::vector<RewriteTorch::Scores> RewriteTorch::scores(std::span<const RewriteScene* const> scenes) const {
  std::vector<GraphInput> inputs;
  for (const RewriteScene* scene : scenes) inputs.push_back(scene->input());
  const Batch batch = make_batch(inputs);
  const bool has_slots = kind_ == &xrlflow_policy();
  const torch::Tensor rows = network(has_slots ? kXrlGraphs : kRewriteScorer).forward(batch);
  std::vector<Scores> all;
  for (std::size_t i = 0; i < scenes.size(); ++i) {
    const torch::Tensor own = batch.rows_of(rows, i);
    all.push_back(has_slots ? of_slots(*scenes[i], own)
                            : of_rewrites(*scenes[i], own, batch.rows_of(batch.features, i)));
  }
  return all;
}

RewriteTorch::Scores RewriteTorch::of_rewrites(const RewriteScene& scene, const torch::Tensor& rows,
                                               const torch::Tensor& given) const {
  const std::vector<std::int64_t> actions(scene.actions.begin(), scene.actions.end());
  const torch::Tensor places = torch::tensor(actions, torch::kLong);
  const torch::Tensor chosen = rows.index_select(0, places);
  const torch::Tensor rule = given.index_select(0, places).matmul(network(kRewriteScorer).free(kRewriteRule));
  return {.logits = chosen.select(1, 0) + rule, .value = chosen.select(1, 1).select(0, chosen.size(0) - 1)};
}

RewriteTorch::Scores RewriteTorch::of_slots(const RewriteScene& scene, const torch::Tensor& rows) const {
  std::vector<std::int64_t> graph_of(scene.nodes), action_of, masked;
  for (std::size_t action = 0; action < scene.actions.size(); ++action) {
    if (scene.actions[action] == kXrlNoSlot) continue;
    for (std::size_t row = scene.actions[action]; row < scene.nodes; ++row)
      graph_of[row] = static_cast<std::int64_t>(action_of.size());
    action_of.push_back(static_cast<std::int64_t>(action));
  }
  const auto graphs = static_cast<std::int64_t>(action_of.size());
  const torch::Tensor sums =
      torch::zeros({graphs, rows.size(1)}).index_add(0, torch::tensor(graph_of, torch::kLong), rows);
  const torch::Tensor readouts = through(network(kXrlReadout), torch::cat({sums, torch::zeros({graphs, 1})}, 1));
  const torch::Tensor empty = torch::zeros({static_cast<std::int64_t>(kXrlSlots) - graphs, readouts.size(1)});
  const torch::Tensor slots = torch::cat({readouts, empty}).view({1, -1});
  const torch::Tensor logits = through(network(kXrlChoice), slots).view({-1}).slice(0, 0, graphs);
  const torch::Tensor all = torch::full({static_cast<std::int64_t>(scene.actions.size())}, kXrlMasked);
  return {.logits = all.index_put({torch::tensor(action_of, torch::kLong)}, logits),
          .value = through(network(kXrlValue), slots).view({})};
}

}  // namespace hone::learn

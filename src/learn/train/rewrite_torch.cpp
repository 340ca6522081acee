#include "learn/train/rewrite_torch.h"

#include <algorithm>

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

/// Logits of actions from those of slots, which those with a slot have in their order.
torch::Tensor with_masked(const RewriteScene& scene, const torch::Tensor& slots) {
  std::vector<std::int64_t> slot_of;
  std::vector<float> masks;
  std::int64_t next = 0;
  for (const std::uint32_t first : scene.actions) {
    slot_of.push_back(first == kXrlNoSlot ? 0 : next++);
    masks.push_back(first == kXrlNoSlot ? kXrlMasked : 0);
  }
  return slots.index_select(0, torch::tensor(slot_of, torch::kLong)) + torch::tensor(masks);
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
  std::vector<Scores> all;
  if (kind_ != &xrlflow_policy()) {
    const torch::Tensor rows = network(kRewriteScorer).forward(batch);
    for (std::size_t i = 0; i < scenes.size(); ++i)
      all.push_back(of_rewrites(*scenes[i], batch.rows_of(rows, i), batch.rows_of(batch.features, i)));
    return all;
  }
  const torch::Tensor rows = network(kXrlGraphs).forward(batch);
  std::vector<torch::Tensor> slots;
  for (std::size_t i = 0; i < scenes.size(); ++i) slots.push_back(slots_of(*scenes[i], batch.rows_of(rows, i)));
  const torch::Tensor logits = through(network(kXrlChoice), torch::cat(slots));
  const torch::Tensor values = kValuePercent * through(network(kXrlValue), torch::cat(slots)).view({-1});
  for (std::size_t i = 0; i < scenes.size(); ++i) {
    const auto place = static_cast<std::int64_t>(i);
    all.push_back({.logits = with_masked(*scenes[i], logits.select(0, place)), .value = values.select(0, place)});
  }
  return all;
}

RewriteTorch::Scores RewriteTorch::of_rewrites(const RewriteScene& scene, const torch::Tensor& rows,
                                               const torch::Tensor& given) const {
  const std::vector<std::int64_t> actions(scene.actions.begin(), scene.actions.end());
  const torch::Tensor places = torch::tensor(actions, torch::kLong);
  const torch::Tensor chosen = rows.index_select(0, places);
  const torch::Tensor rule = given.index_select(0, places).matmul(network(kRewriteScorer).free(kRewriteRule));
  return {.logits = chosen.select(1, 0) + rule,
          .value = kValuePercent * chosen.select(1, 1).select(0, chosen.size(0) - 1)};
}

torch::Tensor RewriteTorch::slots_of(const RewriteScene& scene, const torch::Tensor& rows) const {
  std::vector<std::int64_t> graph_of(scene.nodes);
  std::int64_t graphs = 0;
  for (const std::uint32_t first : scene.actions) {
    if (first == kXrlNoSlot) continue;
    std::fill(graph_of.begin() + first, graph_of.end(), graphs++);
  }
  const torch::Tensor sums =
      torch::zeros({graphs, rows.size(1)}).index_add(0, torch::tensor(graph_of, torch::kLong), rows);
  const torch::Tensor readouts = through(network(kXrlReadout), torch::cat({sums, torch::zeros({graphs, 1})}, 1));
  const torch::Tensor empty = torch::zeros({static_cast<std::int64_t>(kXrlSlots) - graphs, readouts.size(1)});
  return torch::cat({readouts, empty}).view({1, -1});
}

}  // namespace hone::learn

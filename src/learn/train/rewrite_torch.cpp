#include "learn/train/rewrite_torch.h"

#include <unordered_map>

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

/// Scenes as one in which rows of equal class, of whichever scene, are there once.
struct SharedScenes {
  RewriteScene all;
  std::vector<std::vector<std::uint32_t>> row_of;  // by scene and row
};

SharedScenes shared(std::span<const RewriteScene* const> scenes) {
  SharedScenes made;
  std::unordered_map<std::uint64_t, std::uint32_t> row_of_class;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  std::vector<float> features;
  for (const RewriteScene* scene : scenes) {
    std::vector<std::uint32_t>& row_of = made.row_of.emplace_back();
    const std::size_t columns = scene->rows.size() / scene->nodes;
    const std::size_t edge_columns = scene->edge_rows.size() / scene->before.items().size();
    std::vector<std::uint32_t> fresh;
    for (std::uint32_t row = 0; row < scene->nodes; ++row) {
      const auto next = static_cast<std::uint32_t>(row_of_class.size());
      const auto [found, is_new] = row_of_class.emplace(scene->classes[row], next);
      row_of.push_back(found->second);
      if (!is_new) continue;
      fresh.push_back(row);
      const auto begin = scene->rows.begin() + static_cast<std::ptrdiff_t>(row * columns);
      made.all.rows.insert(made.all.rows.end(), begin, begin + static_cast<std::ptrdiff_t>(columns));
    }
    for (const std::uint32_t row : fresh)
      for (std::uint32_t edge = scene->before.begin_of(row); edge < scene->before.begin_of(row + 1); ++edge) {
        edges.emplace_back(row_of[scene->before.items()[edge]], row_of[row]);
        const auto begin = scene->edge_rows.begin() + static_cast<std::ptrdiff_t>(edge * edge_columns);
        features.insert(features.end(), begin, begin + static_cast<std::ptrdiff_t>(edge_columns));
      }
  }
  made.all.nodes = row_of_class.size();
  made.all.set_edges(std::move(edges), features);
  return made;
}

torch::Tensor numbers(const std::vector<std::int64_t>& values) { return torch::tensor(values, torch::kLong); }

/// Sums over the nodes of every graph of every scene, the graphs of a scene one behind the other.
torch::Tensor graph_sums(std::span<const RewriteScene* const> scenes, const SharedScenes& shared,
                         const torch::Tensor& rows) {
  std::vector<std::int64_t> row, graph, last;  // `last`: by graph, the last of its scene
  std::vector<float> times, adds_last;
  for (std::size_t i = 0; i < scenes.size(); ++i) {
    const auto first = static_cast<std::int64_t>(last.size());
    for (const RowShare& share : scenes[i]->shares) {
      row.push_back(shared.row_of[i][share.row]);
      graph.push_back(first + share.graph);
      times.push_back(share.times);
    }
    const std::size_t graphs = scenes[i]->actions.back() + 1;
    last.insert(last.end(), graphs, first + static_cast<std::int64_t>(graphs) - 1);
    adds_last.insert(adds_last.end(), graphs - 1, 1);
    adds_last.push_back(0);
  }
  const torch::Tensor shares = rows.index_select(0, numbers(row)) * torch::tensor(times).unsqueeze(1);
  const torch::Tensor own =
      torch::zeros({static_cast<std::int64_t>(last.size()), rows.size(1)}).index_add(0, numbers(graph), shares);
  return own + own.index_select(0, numbers(last)) * torch::tensor(adds_last).unsqueeze(1);
}

/// Logits of actions from those of slots, which graphs have in their order.
torch::Tensor with_masked(const RewriteScene& scene, const torch::Tensor& slots) {
  std::vector<std::int64_t> slot_of;
  std::vector<float> masks;
  for (const std::uint32_t graph : scene.actions) {
    slot_of.push_back(graph == kXrlNoSlot ? 0 : graph);
    masks.push_back(graph == kXrlNoSlot ? kXrlMasked : 0);
  }
  return slots.index_select(0, numbers(slot_of)) + torch::tensor(masks);
}

}  // namespace

RewriteTorch::RewriteTorch(const Safetensors& contents, std::string_view source, const torch::Device& device)
    : kind_(&as_rewrite_policy(policy_kind_in(contents, source))) {
  for (const PolicyKind::Part& part : kind_->parts()) {
    const NetworkSpec spec = part.describe(shape_in(contents, part.describe({}).prefix, source));
    TorchNetwork& made = networks_.emplace(part.name, TorchNetwork(spec, contents, source)).first->second;
    made.move_to(device);
    for (const auto& [name, tensor] : made.parameters()) parameters_[name] = tensor;
  }
}

Safetensors RewriteTorch::save() const {
  Safetensors contents;
  for (const auto& [name, tensor] : parameters_) contents.arrays[name] = to_array(tensor);
  return contents;
}

std::vector<RewriteTorch::Scores> RewriteTorch::scores(std::span<const RewriteScene* const> scenes) const {
  if (kind_ == &xrlflow_policy()) return of_graphs(scenes);
  std::vector<GraphInput> inputs;
  for (const RewriteScene* scene : scenes) inputs.push_back(scene->input());
  const Batch batch = make_batch(inputs);
  const torch::Tensor rows = network(kRewriteScorer).forward(batch);
  std::vector<Scores> all;
  for (std::size_t i = 0; i < scenes.size(); ++i)
    all.push_back(of_rewrites(*scenes[i], batch.rows_of(rows, i), batch.rows_of(batch.features, i)));
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

std::vector<RewriteTorch::Scores> RewriteTorch::of_graphs(std::span<const RewriteScene* const> scenes) const {
  const SharedScenes shared_scenes = shared(scenes);
  const GraphInput input = shared_scenes.all.input();
  const torch::Tensor rows = network(kXrlGraphs).forward(make_batch({&input, 1}));
  const torch::Tensor sums = graph_sums(scenes, shared_scenes, rows);
  const torch::Tensor readouts =
      through(network(kXrlReadout), torch::cat({sums, torch::zeros({sums.size(0), 1})}, 1));
  std::vector<std::int64_t> place;  // by graph, among the slots of all scenes
  for (std::size_t i = 0; i < scenes.size(); ++i)
    for (std::uint32_t graph = 0; graph <= scenes[i]->actions.back(); ++graph)
      place.push_back(static_cast<std::int64_t>(i * kXrlSlots + graph));
  const auto count = static_cast<std::int64_t>(scenes.size());
  const torch::Tensor slots = torch::zeros({count * static_cast<std::int64_t>(kXrlSlots), readouts.size(1)})
                                  .index_add(0, numbers(place), readouts)
                                  .view({count, -1});
  const torch::Tensor logits = through(network(kXrlChoice), slots);
  const torch::Tensor values = kValuePercent * through(network(kXrlValue), slots).view({-1});
  std::vector<Scores> all;
  for (std::int64_t i = 0; i < count; ++i)
    all.push_back({.logits = with_masked(*scenes[static_cast<std::size_t>(i)], logits.select(0, i)),
                   .value = values.select(0, i)});
  return all;
}

}  // namespace hone::learn

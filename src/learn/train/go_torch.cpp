#include "learn/train/go_torch.h"

#include "learn/policy/card.h"
#include "learn/train/batch.h"

namespace hone::learn {
namespace {

torch::Tensor go_rows(const std::vector<float>& values, std::size_t width) {
  return to_tensor({.shape = {values.size() / width, width}, .values = values});
}

/// Rows that stand for themselves.
Batch rows_alone(const torch::Tensor& rows) {
  Batch batch;
  batch.features = rows;
  batch.edges = make_adjacency(static_cast<std::size_t>(rows.size(0)), {});
  batch.edge_rows = torch::empty({0, 0});
  batch.first = {0};
  return batch;
}

/// Zero where a device may run an operation, and as good as never elsewhere; the first column is for being left alone.
torch::Tensor mask_of(const GraphView& graph) {
  std::vector<float> mask;
  for (std::size_t i = 0; i < graph.operations(); ++i) {
    mask.push_back(0);
    for (std::size_t device = 0; device < graph.devices(); ++device)
      mask.push_back(go_may_run(graph, i, device) ? 0.0F : -1e9F);
  }
  return go_rows(mask, graph.devices() + 1);
}

}  // namespace

GoTorch::GoTorch(const Safetensors& contents, std::string_view source, const torch::Device& device)
    : without_(go_without(card_entry(contents, kGoWithoutEntry))) {
  for (const PolicyKind::Part& part : go_policy().parts()) {
    const NetworkSpec spec = part.describe(shape_in(contents, part.describe({}).prefix, source));
    TorchNetwork& made = networks_.emplace(part.name, TorchNetwork(spec, contents, source)).first->second;
    made.move_to(device);
    if (part.name == kGoDecision) made.go_through(go_layers_without(spec, without_));
    for (const auto& [name, tensor] : made.parameters()) parameters_[name] = tensor;
  }
}

Safetensors GoTorch::save() const {
  Safetensors contents;
  for (const auto& [name, tensor] : parameters_) contents.arrays[name] = to_array(tensor);
  return contents;
}

GoTorch::Scores GoTorch::decide(const GraphView& graph, const Batch& batch, const torch::Tensor& embedded,
                                const GoStep& step) const {
  const torch::Tensor condition = embedded.mean(0, true);
  const torch::Tensor seen = step.sight.seen.empty() ? torch::Tensor() : go_rows(step.sight.seen, kGoSeen);
  Scores scores;
  scores.graph =
      network(kGoGraph).forward(rows_alone(torch::cat({condition, go_rows(step.sight.overall, kGoOverall)}, 1)));
  torch::Tensor given;
  const auto solve = [&](std::int64_t task) {
    torch::Tensor which = torch::zeros({embedded.size(0), static_cast<std::int64_t>(kGoTaskCount)});
    which.slice(1, task, task + 1).fill_(1);
    Batch read = batch;
    const bool sees_task_before = given.defined() && without_ != GoWithout::recurrence;
    read.features = torch::cat({sees_task_before ? embedded + given : embedded, seen, which}, 1);
    read.condition = condition;
    given = network(kGoDecision).forward(read);
  };
  if (!step.choice.place.empty()) {
    solve(0);
    scores.place = place_scores(graph, network(kGoPlace).forward(rows_alone(given)), step.sight);
  }
  if (!step.choice.schedule.empty()) {
    solve(1);
    scores.schedule = network(kGoSchedule).forward(rows_alone(given));
  }
  if (!step.choice.fuse.empty()) {
    solve(2);
    scores.fuse = network(kGoFuse).forward(rows_alone(given));
  }
  return scores;
}

torch::Tensor GoTorch::place_scores(const GraphView& graph, const torch::Tensor& rows, const GoSight& sight) const {
  const TorchNetwork& place = network(kGoPlace);
  const auto devices = static_cast<std::int64_t>(graph.devices());
  const torch::Tensor about = go_rows(sight.pairs, kGoPair);
  const torch::Tensor leave = torch::relu(rows).matmul(place.free(kGoLeave)) + place.free(kGoLeaveBias);
  const torch::Tensor hidden =
      torch::relu(rows.repeat_interleave(devices, 0) + about.matmul(place.free(kGoPairMap).t()));
  const torch::Tensor pairs = hidden.matmul(place.free(kGoPairHead)) + about.matmul(place.free(kGoPairRule));
  return torch::cat({leave.unsqueeze(1), pairs.view({rows.size(0), devices})}, 1) + mask_of(graph);
}

}  // namespace hone::learn

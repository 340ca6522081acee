#include "learn/train/hdp_placer.h"

namespace hone::learn {

HdpPlacer::HdpPlacer(const Sizes& sizes, DrawnWeights& weights) : sizes_(sizes), weights_(weights) {
  const std::int64_t width = sizes.width;
  weights.add("placer_read", sizes.embedding, width);
  weights.add_lstm("placer_forward", width, width);
  weights.add_lstm("placer_backward", width, width);
  weights.add("placer_last_device", sizes.devices + 1, width);  // one more: nothing came before
  weights.add_lstm("placer_decode", 3 * width, width);
  weights.add("placer_key", 2 * width, width);
  weights.add("placer_query", width, width);
  weights.add("placer_score", width, 1);
  weights.add("placer_device", 3 * width, sizes.devices);
}

torch::Tensor HdpPlacer::decode(const torch::Tensor& embedding, std::int64_t samples, const Choose& choose) const {
  const std::int64_t width = sizes_.width, groups = embedding.size(0);
  const torch::Tensor read = torch::tanh(weights_.map("placer_read", embedding)).unsqueeze(1);  // [groups, 1, width]
  std::vector<torch::Tensor> both = weights_.lstm("placer_forward");
  for (const torch::Tensor& array : weights_.lstm("placer_backward")) both.push_back(array);
  const torch::Tensor none = torch::zeros({2, 1, width});
  const torch::Tensor states =
      std::get<0>(torch::lstm(read, {none, none}, both, true, 1, 0, false, true, false)).squeeze(1);
  const torch::Tensor keys = weights_.map("placer_key", states);  // [groups, width]
  const std::vector<torch::Tensor> cell = weights_.lstm("placer_decode");
  torch::Tensor hidden = torch::zeros({samples, width}), memory = hidden;
  torch::Tensor last = torch::full({samples}, sizes_.devices, torch::kInt64), sum = torch::zeros({samples});
  for (std::int64_t group = 0; group < groups; ++group) {
    const torch::Tensor before = weights_.at("placer_last_device").index_select(0, last);
    const torch::Tensor here = states[group].unsqueeze(0).expand({samples, 2 * width});
    std::tie(hidden, memory) =
        torch::lstm_cell(torch::cat({before, here}, 1), {hidden, memory}, cell[0], cell[1], cell[2], cell[3]);
    const torch::Tensor query = weights_.map("placer_query", hidden).unsqueeze(1);           // [samples, 1, width]
    const torch::Tensor scores = weights_.map("placer_score", torch::tanh(query + keys));    // [samples, groups, 1]
    const torch::Tensor seen = torch::matmul(torch::softmax(scores.squeeze(2), 1), states);  // [samples, 2 * width]
    const torch::Tensor log_chances =
        torch::log_softmax(weights_.map("placer_device", torch::cat({hidden, seen}, 1)), 1);
    last = torch::tensor(choose(group, log_chances));
    sum = sum + log_chances.gather(1, last.unsqueeze(1)).squeeze(1);
  }
  return sum;
}

HdpPlacer::Drawn HdpPlacer::draw(const torch::Tensor& embedding, std::int64_t samples, Rng& rng) const {
  Drawn drawn{.devices = std::vector<std::vector<std::int64_t>>(static_cast<std::size_t>(samples))};
  drawn.log_chances = decode(embedding, samples, [&](std::int64_t, const torch::Tensor& log_chances) {
    std::vector<std::int64_t> chosen = drawn_columns(log_chances, rng);
    for (std::size_t i = 0; i < chosen.size(); ++i) drawn.devices[i].push_back(chosen[i]);
    return chosen;
  });
  return drawn;
}

torch::Tensor HdpPlacer::log_chances_of(const torch::Tensor& embedding,
                                        const std::vector<std::vector<std::int64_t>>& devices) const {
  return decode(embedding, static_cast<std::int64_t>(devices.size()), [&](std::int64_t group, const torch::Tensor&) {
    std::vector<std::int64_t> chosen;
    for (const std::vector<std::int64_t>& sample : devices) chosen.push_back(sample[static_cast<std::size_t>(group)]);
    return chosen;
  });
}

}  // namespace hone::learn

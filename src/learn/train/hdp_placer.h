#pragma once

#include <vector>

#include "learn/train/drawn_weights.h"

namespace hone::learn {

/// The second half of HDP: a recurrent network reads groups in both directions, another one gives each a device, one
/// after the other, and looks back at what was read wherever it wants to (Bahdanau's attention).
class HdpPlacer {
 public:
  struct Sizes {
    std::int64_t embedding = 0, devices = 0, width = 0;
  };

  /// Adds its arrays to the weights, which must outlive it.
  HdpPlacer(const Sizes& sizes, DrawnWeights& weights);

  struct Drawn {
    std::vector<std::vector<std::int64_t>> devices;  // by sample and group
    torch::Tensor log_chances;                       // [samples]: of all that was drawn for each
  };
  /// Devices for these groups, so many times.
  Drawn draw(const torch::Tensor& embedding, std::int64_t samples, Rng& rng) const;
  /// The same for devices that are given.
  torch::Tensor log_chances_of(const torch::Tensor& embedding,
                               const std::vector<std::vector<std::int64_t>>& devices) const;

 private:
  /// Chooses the devices of all samples for a group from their log-probabilities [samples, devices].
  using Choose = std::function<std::vector<std::int64_t>(std::int64_t group, const torch::Tensor& log_chances)>;
  torch::Tensor decode(const torch::Tensor& embedding, std::int64_t samples, const Choose& choose) const;

  Sizes sizes_;
  DrawnWeights& weights_;
};

}  // namespace hone::learn

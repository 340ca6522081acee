#pragma once

#include "learn/policy/construction.h"

namespace hone {

/// What a policy looks at when one gene of a plan is decided by itself: nothing that depends on other genes. The places
/// of the first few `OptionFeatures` have these meanings then.
enum class GeneFeature : std::uint8_t {
  device,       // -1 for the first half of all devices, 1 for the second, 0 for one in the middle
  duration,     // of the operation on this device against the quickest one
  same_device,  // 1 where the best plan known has it here, too
  late,         // from -1 for a place at the begin of everything to 1 at the end
  due,          // how far this place is from that in the reference order
  position,     // how far it is from that in the best plan known
  count
};
static_assert(static_cast<std::size_t>(GeneFeature::count) <= kOptionFeatures);

/// Makes plans gene by gene: the device of every choice, and one of some places in the order for every operation, each
/// drawn without a look at the others. REGAL's conditionally independent policy, with distributions over a few steps as
/// there.
class GeneByGene final : public PlanMaker {
 public:
  static constexpr std::size_t kPlaces = 16;

  explicit GeneByGene(const GraphView& graph);

  /// The order of what is made is one of priorities: operations can come before those that they wait for.
  const Constructed& build(const LogitWeights& weights, const Incumbent& incumbent, double temperature, Rng& rng,
                           Trace* trace = nullptr) override;

 private:
  void look_at_devices(std::uint32_t operation, const Incumbent& incumbent);
  void look_at_places(std::uint32_t operation, const Incumbent& incumbent);
  /// Which of the options that are looked at is drawn.
  std::size_t decide(std::uint32_t operation, const LogitWeights& weights, SoftmaxDraw draw, Trace* trace) const;

  const GraphView& graph_;
  std::vector<std::uint32_t> first_of_;  // by choice of device: the first operation that it is for
  std::vector<OptionFeatures> options_;  // of the gene that is decided
  std::vector<std::size_t> place_;       // by operation
  Constructed made_;
};

}  // namespace hone

#include "zoo/registry.h"
#include "zoo/searched_cells.h"

// NASNet-A (Zoph et al., 2017) and AmoebaNet-D (Real et al., 2018; the cells of the network trained in GPipe).

namespace hone::zoo {
namespace {

using enum CellOp;

constexpr CellEdge kNasnetNormal[] = {{0, separable5}, {1, separable3}, {1, separable5}, {1, separable3}, {0, average3},
                                      {1, none},       {1, average3},   {1, average3},   {0, separable3}, {0, none}};
constexpr std::size_t kNasnetNormalJoined[] = {1, 2, 3, 4, 5, 6};
constexpr CellEdge kNasnetReduction[] = {{0, separable5}, {1, separable7}, {0, max3}, {1, separable7},
                                         {0, average3},   {1, separable5}, {3, none}, {2, average3},
                                         {2, separable3}, {0, max3}};
constexpr std::size_t kNasnetReductionJoined[] = {3, 4, 5, 6};

constexpr CellEdge kAmoebaNormal[] = {{1, conv1},       {1, max3}, {1, none}, {0, conv1x7_7x1}, {0, conv1},
                                      {0, conv1x7_7x1}, {2, max3}, {2, none}, {1, average3},    {5, conv1}};
constexpr std::size_t kAmoebaNormalJoined[] = {0, 3, 4, 6};
constexpr CellEdge kAmoebaReduction[] = {{0, max2}, {0, max3}, {2, none}, {1, conv3},    {2, conv1x7_7x1},
                                         {2, max3}, {3, none}, {1, max2}, {2, average3}, {3, conv1}};
constexpr std::size_t kAmoebaReductionJoined[] = {4, 5, 6};

/// The two kinds of cell a network is stacked from.
struct Cells {
  CellPlan normal;
  CellPlan reduction;
};

constexpr Cells kNasnet{{kNasnetNormal, kNasnetNormalJoined, 0}, {kNasnetReduction, kNasnetReductionJoined, 0}};
constexpr Cells kAmoebanet{{kAmoebaNormal, kAmoebaNormalJoined, 1}, {kAmoebaReduction, kAmoebaReductionJoined, 1}};

/// Stem, two reducing cells, then three runs of normal cells with a reducing one between.
void stacked(Builder& b, const Settings& s, const Cells& cells) {
  const std::int64_t size = s["resolution"], channels = s["channels"];
  if (channels % 4 != 0) fail_usage("channels={} must be a multiple of 4", channels);
  const ValueId image = b.input("image", {s["batch"], 3, size, size});
  const ValueId stem = b.conv_norm("stem", image, 32, Window::square(3, 2, 1));
  CellInputs state{stem, stem};
  const auto cell = [&](const std::string& name, const CellPlan& plan, std::int64_t width, std::int64_t stride) {
    const auto place = b.scope(name);
    state = advance(state, searched_cell(b, plan, state, width, stride));
  };
  cell("reduce_stem1", cells.reduction, channels / 4, 2);
  cell("reduce_stem2", cells.reduction, channels / 2, 2);
  for (std::int64_t run = 0; run < 3; ++run) {
    if (run > 0) cell(fmt::format("reduce{}", run), cells.reduction, channels << run, 2);
    for (std::int64_t i = 0; i < s["cells"]; ++i)
      cell(fmt::format("run{}/cell{}", run, i), cells.normal, channels << run, 1);
  }
  const ValueId pooled = b.reshape(b.global_average_pool(b.relu(state.newest)), {0, -1});
  b.predict_classes(b.classifier("fc", pooled, s["classes"]));
}

std::vector<Parameter> searched_parameters(std::int64_t cells, std::int64_t channels) {
  return {batch_parameter(),
          {"resolution", 224, "pixels a side"},
          depth_parameter("cells", cells, "normal cells in each of the three runs"),
          {"channels", channels, "of the first run; doubled at every reduction", {}, 16, 4096},
          {"classes", 1000, "classes"}};
}

const ZooFamily searched_networks_family({
    {"nasnet-a", "NASNet-A (4 @ 1056): cells found by reinforcement learning", searched_parameters(4, 44),
     [](Builder& b, const Settings& s) { stacked(b, s, kNasnet); }},
    {"amoebanet-d", "AmoebaNet-D (18 cells): cells found by evolution", searched_parameters(6, 208),
     [](Builder& b, const Settings& s) { stacked(b, s, kAmoebanet); }},
});

}  // namespace
}  // namespace hone::zoo

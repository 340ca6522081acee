#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

namespace hone {

/// What one graph adds to a figure: the figure is the sum of all parts over the sum of all wholes, so that a mean is
/// one where every whole is 1.
struct GraphShare {
  double part = 0, whole = 1;
};

/// A figure over graphs with its 95 % interval: what it might be on other graphs drawn like these.
struct GraphFigure {
  double value = 0, low = 0, high = 0;
  std::size_t graphs = 0;

  nlohmann::ordered_json json() const;
};

/// What is said of some graphs together.
using GraphStatistic = std::function<double(std::span<const GraphShare>)>;

/// Sum of parts over sum of wholes; 0 where the wholes are nothing.
double ratio_of_sums(std::span<const GraphShare> shares);
/// The least part.
double least_part(std::span<const GraphShare> shares);

/// The interval comes from a bootstrap over graphs: as many are drawn with replacement, and the spread so found is
/// widened by what Student's distribution asks for beyond the normal one. There must be a graph; one by itself has an
/// interval without width.
GraphFigure over_graphs(std::span<const GraphShare> shares, const GraphStatistic& statistic = ratio_of_sums);

}  // namespace hone

#include "plan/methods/spectral_places.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace hone {
namespace {

void add_net(Nets& nets, std::initializer_list<std::uint32_t> ends, double weight) {
  for (const std::uint32_t node : ends) nets.ends.add(node);
  nets.ends.end_list();
  nets.weight.push_back(weight);
}

/// A chain of nodes, numbered so that neighbours are far apart by number.
Nets shuffled_chain(std::uint32_t nodes, std::vector<std::uint32_t>& along) {
  along.resize(nodes);
  for (std::uint32_t i = 0; i < nodes; ++i) along[i] = i * 7 % nodes;
  Nets nets{.nodes = nodes};
  for (std::uint32_t i = 0; i + 1 < nodes; ++i) add_net(nets, {along[i], along[i + 1]}, 1);
  return nets;
}

std::vector<std::uint32_t> order_by(const std::vector<double>& places) {
  std::vector<std::uint32_t> order(places.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t node) { return places[node]; });
  return order;
}

TEST(SpectralPlaces, FewNodesOfAChainComeInItsOrder) {
  std::vector<std::uint32_t> along;
  std::vector<std::uint32_t> found = order_by(spectral_places(shuffled_chain(20, along)));
  if (found.front() != along.front()) std::ranges::reverse(found);
  EXPECT_EQ(found, along);
}

TEST(SpectralPlaces, NoNodeOfALongChainIsFarFromItsOrder) {
  std::vector<std::uint32_t> along;
  const Nets nets = shuffled_chain(1000, along);
  std::vector<std::uint32_t> found = order_by(spectral_places(nets));
  std::vector<std::uint32_t> rank(1000);
  for (std::uint32_t i = 0; i < 1000; ++i) rank[found[i]] = i;
  const bool is_reversed = rank[along.front()] > rank[along.back()];
  for (std::uint32_t i = 0; i < 1000; ++i) EXPECT_NEAR(is_reversed ? 999 - rank[along[i]] : rank[along[i]], i, 60) << i;
}

TEST(SpectralPlaces, WhatATrainingStepReadsAgainFoldsItsLine) {
  // Forward 0 to 99, backward 100 to 199; what is made by i is read by 199 - i, and much heavier than what is handed
  // on.
  Nets nets{.nodes = 200};
  for (std::uint32_t i = 0; i + 1 < 200; ++i) add_net(nets, {i, i + 1}, 1);
  for (std::uint32_t i = 0; i < 100; ++i) add_net(nets, {i, 199 - i}, 10);
  const std::vector<double> places = spectral_places(nets);
  const auto [least, most] = std::ranges::minmax(places);
  for (std::uint32_t i = 0; i < 100; ++i) EXPECT_LT(std::abs(places[i] - places[199 - i]), 0.1 * (most - least)) << i;
  EXPECT_GT(std::abs(places[0] - places[99]), 0.7 * (most - least));
}

TEST(SpectralPlaces, OneHeavyNetKeepsItsNodesTogether) {
  Nets nets{.nodes = 60};
  for (std::uint32_t i = 0; i + 1 < 60; ++i) add_net(nets, {i, i + 1}, 1);
  add_net(nets, {0, 1, 2, 3, 40}, 1000);
  const std::vector<double> places = spectral_places(nets);
  EXPECT_LT(std::abs(places[40] - places[0]), std::abs(places[59] - places[0]));
  EXPECT_LT(std::abs(places[40] - places[0]), std::abs(places[20] - places[0]));
}

TEST(SpectralPlaces, CopesWithNothingAndWithWhatHangsOnNothing) {
  EXPECT_TRUE(spectral_places({}).empty());
  for (const double place : spectral_places({.nodes = 200})) EXPECT_TRUE(std::isfinite(place));
  Nets nets{.nodes = 200};
  add_net(nets, {3, 4}, 0);
  add_net(nets, {5, 6}, 1);
  for (const double place : spectral_places(nets)) EXPECT_TRUE(std::isfinite(place));
}

}  // namespace
}  // namespace hone

#include "base/recycled_allocations.h"

#include <gtest/gtest.h>

#include <map>
#include <thread>
#include <vector>

#include "base/allocation_count.h"

namespace hone {
namespace {

/// Makes small objects of many sizes, keeps them all for a while, and reads what was written.
bool small_objects_hold() {
  std::vector<std::vector<char>> pieces;
  pieces.reserve(40);
  for (std::size_t i = 0; i < 40; ++i) pieces.emplace_back(i * 13 + 1, static_cast<char>(i));
  std::map<int, int> tree;
  for (int i = 0; i < 20; ++i) tree[i] = i;
  bool holds = tree.size() == 20;
  for (std::size_t i = 0; i < pieces.size(); ++i)
    for (const char each : pieces[i]) holds &= each == static_cast<char>(i);
  return holds;
}

/// One small piece of memory that no compiler does without.
int node_of_a_tree() {
  std::map<int, int> tree;
  tree[1] = 1;
  return tree.at(1);
}

TEST(RecycledAllocationsTest, ASecondCallOfTheSameAsksForNothing) {
  const auto in_scope = [] {
    const RecycledAllocations recycled;
    const std::uint64_t before = allocation_count();
    std::map<int, int> tree;
    for (int i = 0; i < 20; ++i) tree[i] = i;
    return allocation_count() - before;
  };
  std::thread([&] {  // a new one, which has kept nothing yet
    EXPECT_EQ(in_scope(), 20U);
    EXPECT_EQ(in_scope(), 0U);
    EXPECT_GE(recycled_count(), 20U);
  })
      .join();
}

TEST(RecycledAllocationsTest, PiecesAreAsLargeAsAskedForAndNobodyElses) {
  const RecycledAllocations recycled;
  for (int i = 0; i < 50; ++i) {
    const RecycledAllocations nested;
    EXPECT_TRUE(small_objects_hold());
  }
}

TEST(RecycledAllocationsTest, WithoutAScopeNothingIsKept) {
  {
    const RecycledAllocations recycled;
    EXPECT_EQ(node_of_a_tree(), 1);
  }
  const std::uint64_t before = allocation_count();
  EXPECT_EQ(node_of_a_tree(), 1);
  EXPECT_EQ(allocation_count() - before, 1U);
}

TEST(RecycledAllocationsTest, WhatOutlivesScopeAndThreadIsFreedAsUsual) {
  std::vector<int>* outliving = nullptr;
  std::thread([&] {
    const RecycledAllocations recycled;
    EXPECT_EQ(node_of_a_tree(), 1);
    outliving = new std::vector<int>(10, 7);
  }).join();
  EXPECT_EQ(outliving->back(), 7);
  delete outliving;
}

}  // namespace
}  // namespace hone

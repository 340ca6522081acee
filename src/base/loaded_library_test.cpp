#include "base/loaded_library.h"

#include <gtest/gtest.h>

#include <cmath>

namespace hone {
namespace {

TEST(LoadedLibraryTest, WhatWasUnloadedIsLoadedAgainWhenUsed) {
  volatile double x = 0.5;
  const double before = std::sin(x);
  unload_library("libm.so");
  EXPECT_EQ(std::sin(x), before);
  unload_library("no library of this name");
}

}  // namespace
}  // namespace hone

#include "deliver/delivery_progress.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(DeliveryProgressTest, PartsAddUpToTheWhole) {
  std::string told;
  DeliveryProgress progress([&](const std::string& line) { told = line; }, std::nullopt);
  progress.begin("cleaning", 0.1);
  EXPECT_TRUE(told.starts_with("0 %") && told.ends_with("; cleaning")) << told;
  double done = 0;
  progress.begin("searching", 0.9, [&] { return done; });
  EXPECT_TRUE(told.starts_with("10 %")) << told;
  done = 0.5;
  progress.tell("trying b");
  EXPECT_TRUE(told.starts_with("50 %") && told.ends_with("; trying b")) << told;
  progress.begin("verifying", 1);
  EXPECT_TRUE(told.starts_with("90 %")) << told;
}

TEST(DeliveryProgressTest, AGivenTimeTellsTheShare) {
  std::string told;
  DeliveryProgress progress([&](const std::string& line) { told = line; }, 1e9);
  progress.begin("verifying", 1);
  EXPECT_TRUE(told.starts_with("0 %")) << told;
}

}  // namespace
}  // namespace hone

#include "plan/methods/memory_items.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(MemoryItems, BuffersThatShareMemoryAreOne) {
  WorkloadBuilder builder("alias");
  const BufferId weight = builder.add_buffer({.name = "weight", .bytes = 5, .kind = Buffer::Kind::weight});
  builder.add_buffer({.name = "unread", .bytes = 7, .kind = Buffer::Kind::weight});
  const BufferId made = builder.add_buffer({.name = "made", .bytes = 9.5});
  const BufferId view = builder.add_buffer({.name = "view", .bytes = 9.5, .is_output = true, .alias_of = made});
  const BufferId end = builder.add_buffer({.name = "end", .bytes = 1});
  const OperationId maker = builder.add_operation({.name = "maker"}, std::span(&weight, 1), std::span(&made, 1));
  const OperationId viewer = builder.add_operation({.name = "viewer"}, std::span(&made, 1), std::span(&view, 1));
  const BufferId read[] = {made, view};
  const OperationId reader = builder.add_operation({.name = "reader"}, read, std::span(&end, 1));
  const MemoryItems items(std::move(builder).build());
  ASSERT_EQ(items.count(), 3U);  // what nobody reads takes nothing
  ASSERT_EQ(items.made_by(maker).size(), 1U);
  const std::uint32_t item = items.made_by(maker).front();
  EXPECT_EQ(items.item(item).bytes, 10);
  EXPECT_EQ(items.item(item).maker, maker);
  EXPECT_TRUE(items.item(item).kept);
  EXPECT_TRUE(items.made_by(viewer).empty());
  EXPECT_EQ(std::vector(items.users(item).begin(), items.users(item).end()), (std::vector{viewer, reader}));
  EXPECT_EQ(items.used_by(reader).size(), 1U);
  ASSERT_EQ(items.used_by(maker).size(), 1U);
  EXPECT_FALSE(items.item(items.used_by(maker).front()).maker.valid());
}

}  // namespace
}  // namespace hone

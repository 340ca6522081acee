#include "base/key_values.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(KeyValuesTest, SplitsAtCommasAndTheFirstEqualsSign) {
  const std::vector<KeyValue> list = key_values("a=1,b=x=y,c=");
  ASSERT_EQ(list.size(), 3U);
  EXPECT_EQ(list[1].key, "b");
  EXPECT_EQ(list[1].value, "x=y");
  EXPECT_EQ(list[2].value, "");
  EXPECT_TRUE(key_values("").empty());
}

TEST(KeyValuesTest, RefusesWhatIsNoListAndWhatIsNoNumber) {
  EXPECT_THROW(key_values("a=1,b"), InputError);
  EXPECT_EQ(number_of<std::int64_t>({"a", "12"}), 12);
  EXPECT_EQ(number_of<double>({"a", "1.5"}), 1.5);
  for (const char* bad : {"", "1.5", "12x", "99999999999999999999"})
    EXPECT_THROW(number_of<std::int64_t>({"a", bad}), InputError) << bad;
}

}  // namespace
}  // namespace hone

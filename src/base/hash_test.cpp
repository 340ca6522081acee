#include "base/hash.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace hone {
namespace {

TEST(HashTest, IsTheSameOnEveryMachine) {
  EXPECT_EQ(mix(1, 2), 11461318973877340313u);
  EXPECT_EQ(hash_text("hone"), 8268547192074866116u);
}

TEST(HashTest, OrderMatters) { EXPECT_NE(mix(mix(0, 1), 2), mix(mix(0, 2), 1)); }

TEST(HashTest, EveryLengthAndEveryChangedByteShows) {
  std::set<std::uint64_t> seen;
  std::string text(100, 'a');
  for (std::size_t length = 0; length <= text.size(); ++length)
    EXPECT_TRUE(seen.insert(hash_text(std::string_view(text).substr(0, length))).second) << length;
  for (std::size_t i = 0; i < text.size(); ++i) {
    text[i] = 'b';
    EXPECT_TRUE(seen.insert(hash_text(text)).second) << i;
    text[i] = 'a';
  }
  EXPECT_NE(hash_text("a", 1), hash_text("a", 2));
}

TEST(HashTest, TrailingZerosCount) { EXPECT_NE(hash_text(std::string(3, '\0')), hash_text(std::string(4, '\0'))); }

}  // namespace
}  // namespace hone

#include "base/text_layout.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(TextLayoutTest, CountsCharactersNotBytes) {
  EXPECT_EQ(columns_of("a ± σ"), 5u);
  EXPECT_EQ(columns_of(""), 0u);
}

TEST(TextLayoutTest, ShortensInTheMiddle) {
  EXPECT_EQ(shortened("encoder.layer.11.attention", 12), "encode…ntion");
  EXPECT_EQ(shortened("short", 5), "short");
  EXPECT_EQ(shortened("σσσσσσ", 3), "σ…σ");
  EXPECT_EQ(columns_of(shortened("encoder.layer.11.attention", 11)), 11u);
}

TEST(TextLayoutTest, BreaksBetweenWords) {
  EXPECT_EQ(wrapped("not faster than what was kept", 12),
            (std::vector<std::string>{"not faster", "than what", "was kept"}));
  EXPECT_EQ(wrapped("", 10), std::vector<std::string>{""});
}

TEST(TextLayoutTest, BreaksLongWordsBehindPunctuation) {
  EXPECT_EQ(wrapped("batch=1,channels=64,size=9", 20), (std::vector<std::string>{"batch=1,channels=64,", "size=9"}));
  EXPECT_EQ(wrapped("abcdefghij", 4), (std::vector<std::string>{"abcd", "efgh", "ij"}));
}

TEST(TextLayoutTest, LeavesLongWordsWholeOnRequest) {
  EXPECT_EQ(wrapped("run abcdefghij now", 4, LongWords::whole), (std::vector<std::string>{"run", "abcdefghij", "now"}));
}

TEST(TextLayoutTest, IndentsAParagraphBelowItsPrefix) {
  EXPECT_EQ(paragraph("a: ", "one two three four", 13), "a: one two\n   three four\n");
  EXPECT_EQ(paragraph("", "one", 10), "one\n");
}

}  // namespace
}  // namespace hone

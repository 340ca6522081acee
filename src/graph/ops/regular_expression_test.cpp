#include "graph/ops/regular_expression.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace hone {
namespace {

bool matches(std::string_view pattern, std::string_view text) { return RegularExpression(pattern).matches(text); }

TEST(RegularExpressionTest, MatchesWholeTextsOnly) {
  EXPECT_TRUE(matches("ab*c", "abbbc"));
  EXPECT_FALSE(matches("ab*", "abbbc"));
  EXPECT_TRUE(matches("www.[\\w.-]+\\.\\bcom\\b", "www.google.com"));
  EXPECT_FALSE(matches("www.[\\w.-]+\\.\\bcom\\b", "www.hugo.bar"));
  EXPECT_TRUE(matches("", ""));
}

TEST(RegularExpressionTest, KnowsClassesGroupsAndCounts) {
  EXPECT_TRUE(matches("[^a-c]{2,3}", "xyz"));
  EXPECT_FALSE(matches("[^a-c]{2,3}", "xbz"));
  EXPECT_TRUE(matches("(?:foo|ba(r|z)){2}", "foobaz"));
  EXPECT_TRUE(matches("[[:digit:]]+[]x]", "12]"));
  EXPECT_TRUE(matches("(?i)HeLLo", "hEllO"));
  EXPECT_TRUE(matches("a{,2}", "a{,2}")) << "a brace that counts nothing is a brace";
  EXPECT_FALSE(matches("a.b", "a\nb"));
  EXPECT_TRUE(matches("(?s)a.b", "a\nb"));
}

TEST(RegularExpressionTest, ReadsCodePointsNotBytes) {
  EXPECT_TRUE(matches(".", "\xC3\xA9"));
  EXPECT_TRUE(matches("[\xC3\xA0-\xC3\xAF]", "\xC3\xA9"));
}

TEST(RegularExpressionTest, TakesLinearTimeWhereBacktrackingWouldNotEnd) {
  EXPECT_FALSE(matches("(a+)+b", std::string(2000, 'a')));
  EXPECT_FALSE(matches("(a*)*(a|aa)*b", std::string(2000, 'a')));
}

TEST(RegularExpressionTest, RefusesWhatItCannotDo) {
  for (const char* pattern : {"(a", "a)", "[a", "*a", "a(?=b)", "(a)\\1", "\\pL", "a{5,2}", "a{2000}", "a\\",
                              "((((){1000}){1000}){1000}){1000}", "((a{1000}){1000}){1000}"})
    EXPECT_THROW(RegularExpression{pattern}, InputError) << pattern;
  EXPECT_THROW(RegularExpression(std::string(100'000, '(')), InputError);
}

}  // namespace
}  // namespace hone

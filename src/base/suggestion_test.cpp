#include "base/suggestion.h"

#include <gtest/gtest.h>

#include <vector>

namespace hone {
namespace {

TEST(SuggestionTest, NamesTheNearestOrAll) {
  const std::vector<std::string_view> names{"greedy", "taso", "saturate"};
  EXPECT_EQ(suggestion("tasso", names), "; did you mean 'taso'?");
  EXPECT_EQ(suggestion("luck", names), "");
  EXPECT_EQ(suggestion_or_all("gredy", names), "; did you mean 'greedy'?");
  EXPECT_EQ(suggestion_or_all("luck", names), ", there are greedy, taso, saturate");
}

}  // namespace
}  // namespace hone
